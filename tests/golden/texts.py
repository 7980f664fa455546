"""How a text is compared with a golden one."""

import re

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-\d+)?")


def last_digit(number: str) -> float:
    """By how much a printed number may differ: a unit of its last digit, and a whole number not at all."""
    _, point, digits = number.partition(".")
    return 1.01 * 10.0 ** -len(digits) if point else 0.0


def assert_same_text(text: str, golden: str) -> None:
    """Words to the letter, numbers to a unit of their last printed digit, and spaces as they come.

    What rounds up on one processor may round down on another, and the width of a column follows.
    """
    assert NUMBER.sub("#", text).split() == NUMBER.sub("#", golden).split()
    for number, expected in zip(NUMBER.findall(text), NUMBER.findall(golden), strict=True):
        assert abs(float(number) - float(expected)) <= last_digit(expected), (number, expected)
