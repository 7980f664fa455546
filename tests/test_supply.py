"""What is downloaded: by those who run the tests."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_only_a_group_of_its_own_has_pytorch() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert [name for name, lines in groups.items() if "torch" in str(lines)] == ["networks"]
    assert "'networks'" not in str(list(groups.values()))  # nor is it included
