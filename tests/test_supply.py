"""What is downloaded: by those who run the tests, and for a release."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_only_a_group_of_its_own_has_pytorch() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert [name for name, lines in groups.items() if "torch" in str(lines)] == ["networks"]
    assert "'networks'" not in str(list(groups.values()))  # nor is it included


@pytest.mark.skipif(not WORKFLOWS, reason="an sdist has no workflows")
def test_actions_are_commits() -> None:
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        actions = re.findall(r"uses: (.+)", text)
        assert actions
        for action in actions:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), f"{path.name}: {action}"
        assert "INDEX_URL" not in re.sub("TORCH_INDEX_URL", "", text), "an index of all that pip installs"


def test_what_builds_a_release_has_hashes_and_the_versions_of_the_lock_file() -> None:
    versions = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()
    text = (ROOT / "requirements-release.lock").read_text(encoding="utf-8").replace("\\\n", "")
    requirements = [line.split() for line in text.splitlines() if not line.startswith("#")]
    assert {"nox", "build", "twine", "hatchling"} <= {words[0].partition("==")[0] for words in requirements}
    for words in requirements:
        assert any(line.split()[0] == words[0] for line in versions), words[0]
        assert re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", words[-1]), words[0]
