"""Shared fixtures: where the real collections lie, if they do."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the real collections; tests that need it are skipped without it."""
    if not DATA.is_dir():
        pytest.skip("the real collections (../shared/data) are not here")
    return DATA
