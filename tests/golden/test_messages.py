"""Golden messages are those that tests provoke. ``messages.py`` says how; this rewrites them:

python -m tests.golden.test_messages [FILE ...]
"""

import sys
import warnings
from pathlib import Path

import pytest

from tests.golden import messages


def test_every_golden_message_has_its_test(request: pytest.FixtureRequest) -> None:
    """Of files that were collected; with all of them in a run of the whole suite."""
    if any("::" in argument for argument in request.config.args):
        pytest.skip("tests were chosen by name")
    assert messages.orphans(request.config.stash[messages.COLLECTED]) == []


def test_a_golden_message_without_test_is_found() -> None:
    first = next(iter(messages.golden_messages()))
    assert first in messages.orphans({messages.file_name(first) + "::test_another"})
    assert first not in messages.orphans({first})
    assert first not in messages.orphans({"tests/data/test_another.py::test"})


@pytest.fixture
def recording(tmp_path: Path, request: pytest.FixtureRequest) -> messages.Recording:
    """Two golden messages, in place of those of the test."""
    return messages.Recording(
        request.node.nodeid, {str(tmp_path): "<tmp_path>"}, ("ValueError: 3 rows", "UserWarning: odd")
    )


def test_messages_are_compared_in_their_order(recording: messages.Recording) -> None:
    token = messages.CURRENT.set(recording)
    try:
        with messages.refused(ValueError):
            raise ValueError("3 rows")
        with messages.warned(UserWarning):
            warnings.warn("odd", stacklevel=1)
        with pytest.raises(pytest.fail.Exception, match="no golden message 3 of .*python -m"):
            messages.as_golden("more")
    finally:
        messages.CURRENT.reset(token)


@pytest.mark.parametrize("text", ["4 rows", "3 lines"])
def test_another_word_or_number_fails_and_says_what_to_do(text: str, recording: messages.Recording) -> None:
    token = messages.CURRENT.set(recording)
    try:
        with pytest.raises(AssertionError) as failed, messages.refused(ValueError):
            raise ValueError(text)
    finally:
        messages.CURRENT.reset(token)
    assert messages.COMMAND in failed.value.__notes__[0]


def test_what_differs_between_machines_is_replaced(tmp_path: Path) -> None:
    text = f"{tmp_path}/run.txt: value 0.12345678912 of 1..999999 and <object at 0x7f0011223344>, 12345678 bytes"
    text += "\n\n  more  \nslack 0.05 (accepted up to 1e-07)\ntruncated or corrupt (no magic), expected"
    expected = "<tmp_path>/run.txt: value 0.123457 of 1..999999 and <object at 0x...>, 12345678 bytes"
    expected += "\n  more\nslack ... (accepted up to 1e-07)\ntruncated or corrupt (...), expected"
    assert messages.normalised(text, {str(tmp_path): "<tmp_path>"}) == expected


def test_golden_files_are_read_as_they_were_written(tmp_path: Path) -> None:
    two = ("A: one\n  two\nthree", "B: four")
    content = {"tests/a.py::b[x - y]": two, "tests/a.py::b[z]": two, "tests/a.py::c": ("D: five",)}
    messages.write(tmp_path / "a.txt", content)
    assert messages.read(tmp_path / "a.txt") == content


if __name__ == "__main__":
    sys.exit(messages.rewrite(sys.argv[1:]))
