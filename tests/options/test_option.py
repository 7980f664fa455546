"""An option is declared once: its type, default, meaning, text and place come from one field and its entry."""

import inspect
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypedDict, Unpack, get_args, get_type_hints

import pytest

import maxent.options
from maxent.options import Group, Option, Text, entries_of, options_of, part_of, takes, types_of, words_of
from tests.golden.messages import refused


class Lengths(TypedDict, total=False):
    """Lengths of things.

    size : int
        Size of each,
        in ranks.
    rule : {"wide", "long"}, optional
        What counts.
    """

    size: Annotated[int, Option(3, __doc__, Text("positive", "N"), "length")]
    rule: Annotated[Literal["wide", "long"] | None, Option(None, __doc__)]


class More(Lengths, total=False):
    """Lengths, and measures.

    measures : sequence of Measure or text
        Measures to use.
    """

    measures: Annotated["Measures", Option((), __doc__)]  # type: ignore[name-defined]  # noqa: F821


def test_an_option_has_its_name_entry_and_choices() -> None:
    size, rule, measures = options_of(More).values()
    assert (size.name, size.default, size.text.metavar, size.group) == ("size", 3, "N", "length")
    assert size.entry == "size : int\n    Size of each,\n    in ranks."
    assert (size.kind, size.meaning, size.choices) == ("int", "Size of each, in ranks.", ())
    assert (rule.kind, rule.choices) == ('{"wide", "long"}, optional', ("wide", "long"))
    assert measures.meaning == "Measures to use."


def test_quoted_types_are_those_of_the_room() -> None:
    assert types_of(More)["measures"] == maxent.options.Measures
    assert types_of(More)["size"] is int


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (int, ()),
        (Literal["a", "b"], ("a", "b")),
        (Literal["a"] | None, ("a",)),
        (Sequence[Literal["a", "b"]] | None, ("a", "b")),
        (str | int | Sequence[str | int], ()),
    ],
)
def test_words_of_a_type(kind: Any, words: tuple[str, ...]) -> None:
    assert words_of(kind) == words


def test_a_function_shows_and_receives_every_option() -> None:
    @takes(Lengths)
    def measure(thing: str, **options: Unpack[Lengths]) -> dict[str, object]:
        """Measure a thing.

        Parameters
        ----------
        thing : str
            What is measured.

        Returns
        -------
        dict
        """
        return {"thing": thing, **options}

    assert measure("x") == {"thing": "x", "size": 3, "rule": None}
    assert measure("x", rule="wide") == {"thing": "x", "size": 3, "rule": "wide"}
    assert str(inspect.signature(measure)).startswith("(thing: str, *, size: int = 3, rule: ")
    assert list(entries_of((measure.__doc__ or "").partition("Returns")[0])) == ["thing", "size", "rule"]
    with refused(TypeError):
        measure("x", sise=2)  # type: ignore[call-arg]


def test_a_parameter_of_the_function_is_only_explained() -> None:
    @takes(Lengths)
    def measure(size: int = 5, **options: Any) -> int:
        """Measure.

        Returns
        -------
        int
        """
        assert list(options) == ["rule"]
        return size

    assert measure() == 5
    assert "size : int\n    Size of each,\n    in ranks." in (measure.__doc__ or "")


def test_part_of_options() -> None:
    assert part_of(Lengths, {"size": 1, "rule": None, "title": "x"}) == {"size": 1, "rule": None}


DECLARED = [kind for name in dir(maxent.options) if hasattr(kind := getattr(maxent.options, name), "__total__")]


@pytest.mark.parametrize("declared", DECLARED, ids=lambda kind: kind.__name__)
def test_every_declared_option_is_explained(declared: type) -> None:
    for name, option in options_of(declared).items():
        assert option.meaning or name == "qrels", name  # runs, qrels are explained together
        assert option.group in get_args(Group)
        words = ", ".join(f'"{word}"' for word in option.choices)
        assert f"{{{words}}}" in option.kind or not words, f"{name}: type and docstring differ in their words"


def test_a_default_has_the_type_of_the_option() -> None:
    for declared in DECLARED:
        for name, kind in get_type_hints(declared, localns=vars(maxent.options.slow_types)).items():
            default = options_of(declared)[name].default
            if kind in (int, float, bool, str):
                assert type(default) is kind, name
