"""Parameters of measures: canonical values, mappings, numpy's scalars, and errors that say what is expected."""

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.measures import MEASURES, PARAMETERS, Form, linear_form, pairwise_form
from tests.golden.messages import refused

Make = Callable[[], Any]
loose: Any = me  # parameters of any type


@pytest.mark.parametrize(
    ("given_so", "same"),
    [
        (loose.nDCG(gain={1: 1, 2: 3}), loose.nDCG(gain=(1, 3))),
        (loose.nDCG(gain={2: 3, 0: 0, 1: 1, -1: 0}), loose.nDCG(gain=(1, 3))),
        (loose.Q(gain={1: 2, 2: 5}), loose.Q(gain=(2, 5))),
        (loose.muAP(levels={1: 0.5, 2: 2}), loose.muAP(levels=(0.5, 2))),
        (loose.GAP(g={1: 0.25, 2: 0.75}), loose.GAP(g=(0.25, 0.75))),
        (loose.GAP(g={np.int64(1): np.float32(0.25), 2: 0.75}), loose.GAP(g=(0.25, 0.75))),
        (loose.parse_measure("nDCG(gains={0: 0, 1: 1, 2: 3})@10"), loose.nDCG(gain=(1, 3), cutoff=10)),
        (loose.parse_measure("GAP(g={1:.5,2:.5})"), loose.GAP(g=(0.5, 0.5))),
        # a text with commas
        (loose.GAP(g="0.5,0.5"), loose.GAP(g=(0.5, 0.5))),
        (loose.parse_measure("GAP(g='0.5,0.5')"), loose.GAP(g=(0.5, 0.5))),
        (loose.nDCG(gain="1,3"), loose.nDCG(gain=(1, 3))),
        (loose.parse_measure("nDCG(gain=(1, 3))"), loose.nDCG(gain=(1, 3))),
        # scalars of numpy
        (loose.P(cutoff=np.int64(10), rel=np.int8(2)), loose.P(cutoff=10, rel=2)),
        (loose.nDCG(cutoff=np.float64(10), b=np.int32(2)), loose.nDCG(cutoff=10)),
        (loose.GAP(g=np.array([0.5, 0.5])), loose.GAP(g=(0.5, 0.5))),
        (loose.RBP(p=np.float64(0.5)), loose.RBP(p=0.5)),
        (loose.nDCG(gain=np.int64(3)), loose.nDCG(gain=(3,))),
        # where ir_measures leaves out a grade, its gain is the grade
        (loose.parse_measure("nDCG(gains={2: 3})"), loose.nDCG(gain=(1, 3))),
    ],
)
def test_parameters_become_integers_floats_and_tuples(
    given_so: me.measures.Measure, same: me.measures.Measure
) -> None:
    assert given_so == same
    assert (hash(given_so), str(given_so), repr(given_so)) == (hash(same), str(same), repr(same))


@pytest.mark.parametrize(
    "make",
    [
        lambda: loose.nDCG(gain={1: 1, 3: 2, 6: 3}),
        lambda: loose.nDCG(gain={10**9: 1}),
        lambda: me.parse_measure("nDCG(gains={1000000000:1})"),
        lambda: loose.nDCG(gain={0: 1, 1: 2}),
        lambda: loose.nDCG(gain={"1": 2}),
        lambda: loose.nDCG(gain={}),
        lambda: loose.nDCG(gain={1: "x"}),
        lambda: loose.parse_measure("nDCG(gains={0: 1, 1: 2})"),
        lambda: loose.parse_measure("nDCG(gains={1: 1},gain=exp2)"),
        lambda: loose.GAP(g="harmonic"),
        lambda: loose.GAP(g=None),
        lambda: loose.AP(rel=1.5),
        lambda: loose.AP(rel=None),
        lambda: loose.P(cutoff=True),
        lambda: loose.P(cutoff=None),
        lambda: loose.P(cutoff="10"),
        lambda: loose.P(cutoff=np.nan),
        lambda: loose.nDCG(gain=object),
        lambda: loose.nDCG(gain={1, 3}),
        lambda: loose.nDCG(gain=[[1, 2]]),
        lambda: loose.nDCG(gain=(10**400,)),
        lambda: loose.nDCG(discount=3),
        lambda: loose.RBP(p="high"),
        lambda: loose.Q(beta=10**400),
        lambda: loose.Q(beta=1e308),
        lambda: loose.parse_measure("P(cutoff=5)@10"),
    ],
)
def test_values_that_make_no_sense_are_measure_errors(make: Make) -> None:
    with refused(me.errors.MeasureError):
        make()


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.complex_numbers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.integers() | st.text(), inner, max_size=3),
    max_leaves=4,
)


@given(st.data(), st.sampled_from(sorted(MEASURES)))
def test_no_value_of_a_parameter_is_another_error(data: st.DataObject, name: str) -> None:
    names = [field.name for field in dataclasses.fields(MEASURES[name])]
    values = {name: data.draw(ANYTHING) for name in names}
    try:
        measure = MEASURES[name](**values)
    except me.errors.MeasureError:
        return
    assert loose.parse_measure(str(measure)) == measure


@pytest.mark.parametrize("deep", ["AP(" * 3000, f"AP(rel={'(' * 3000}1{')' * 3000})", "GAP(g={[1]: 2})"])
def test_texts_that_pythons_parser_refuses_are_measure_errors(deep: str) -> None:
    with pytest.raises(me.errors.MeasureError):
        loose.parse_measure(deep)


@pytest.mark.parametrize("kind", [me.GAP, me.xGAP, me.eGAP])
@pytest.mark.parametrize("levels", [1, 2, 4])
def test_even_probabilities_fit_any_number_of_grades(kind: type[me.GAP], levels: int) -> None:
    measure, same = kind(g="even"), kind(g=(1 / levels,) * levels)
    assert str(measure) == f"{kind.__name__}(g=even)"
    assert me.parse_measure(str(measure)) == measure
    grades, relevant = np.random.default_rng(1).integers(0, levels + 1, 20), (20,) * levels
    assert measure.evaluate(grades, relevant) == pytest.approx(float(same.evaluate(grades, relevant)))
    if kind is me.GAP:
        pairs = zip(measure.partial_forms(relevant, 20), same.partial_forms(relevant, 20), strict=True)
        assert all((own.K == other.K).all() for own, other in pairs)


def test_even_probabilities_of_a_graded_curve() -> None:
    even, same = (me.graded_curve([2, 0, 1], (1, 1), g=g) for g in ("even", (0.5, 0.5)))
    assert even.area == same.area


WITH_GAINS: list[Any] = [
    cls for cls in MEASURES.values() if "gain" in {field.name for field in dataclasses.fields(cls)}
]


@pytest.mark.parametrize("cls", WITH_GAINS)
def test_no_measure_takes_too_few_gains(cls: type[Any]) -> None:
    with refused(me.errors.MeasureError):
        cls(gain=(1,)).evaluate([1, 0, 2], (1, 1))


OF_THREE_GRADES = [
    *(cls(g=(0.25, 0.25, 0.5)) for cls in (me.GAP, me.xGAP, me.eGAP)),
    me.muAP(levels=(1, 3, 4)),
    *(cls(gain=(1, 3, 7)) for cls in WITH_GAINS),
]


@pytest.mark.parametrize("measure", OF_THREE_GRADES, ids=str)
def test_a_topic_may_lack_the_top_grades_of_a_measure(measure: me.measures.Measure) -> None:
    """A part of a collection, whose judgments have two grades, gives the values of the whole scale."""
    lists = [[1, 0, 2, 1], [0, 0, 1, 0]]
    expected = measure.evaluate(lists, (3, 1, 0))
    np.testing.assert_array_equal(measure.evaluate(lists, (3, 1)), expected)
    if measure.is_form() or measure.is_cascade():
        p = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.8, 0.1, 0.1], [1, 0, 0]])
        whole = measure.expected(np.pad(p, ((0, 0), (0, 1))), (3, 1, 0))
        assert measure.expected(p, (3, 1)) == pytest.approx(whole)
    if measure.is_form():
        form = measure.form((3, 1), 4)
        assert form.levels == 2
        np.testing.assert_array_equal(form.evaluate(np.array(lists)), expected)
        problem = me.Problem(measure, value=float(expected[0]), relevant=(3, 1), retrieved=(2, 1), depth=4)
        assert me.solve(problem).status in ("optimal", "boundary")


@dataclasses.dataclass(frozen=True)
class Broken(me.measures.Measure):
    """A measure whose form does not fit the topic."""

    made: Callable[[], Form]

    def _form(self, relevant: np.ndarray, depth: int) -> Form:
        return self.made()


@pytest.mark.parametrize(
    "made",
    [
        lambda: linear_form(np.ones(3), np.ones(3)),
        lambda: linear_form(np.ones(4), np.ones(2)),
        lambda: pairwise_form(np.ones(4), np.ones((2, 2))),
        lambda: linear_form(np.ones(3) * np.nan, np.ones(2)),
    ],
)
def test_a_form_must_fit_the_topic(made: Callable[[], Form]) -> None:
    with refused(me.errors.MeasureError):
        Broken(made).form((1, 1), 3)


def test_weights_and_gains_have_one_dimension() -> None:
    one: Any = np.float64(1)
    makers: tuple[Make, ...] = (
        lambda: linear_form(np.ones((2, 3)), np.ones(2)),
        lambda: linear_form(np.ones(3), one),
        lambda: pairwise_form(np.ones((2, 3)), np.ones((2, 2))),
        lambda: pairwise_form(np.ones(3), np.ones((2, 3))),
    )
    for make in makers:
        with refused(me.errors.MeasureError):
            make()


def test_a_list_cannot_have_more_documents_of_a_grade_than_its_topic() -> None:
    with refused(me.errors.MeasureError):
        me.AP().evaluate([1, 1, 1, 1], (3,))
    with refused(me.errors.MeasureError):
        me.RR().evaluate([[0, 0, 1], [2, 1, 2]], (1, 1))
    assert me.AP().evaluate([1, 1, 1], (2.5,)) == pytest.approx(1.2)  # fractional counts stand for whole documents
    assert me.AP().values(np.array([1, 1, 1, 1]), (3,)) == pytest.approx(4 / 3)  # the caller knows


def test_a_gain_that_overflows_is_an_error() -> None:
    relevant = [1] * 1100
    for measure in (me.nDCG(gain="exp2"), me.ERR(), me.CG(gain="exp")):
        with refused(me.errors.MeasureError):
            measure.evaluate([1100, 0], relevant)
    assert me.nDCG().evaluate([1100, 0], relevant) > 0
    with refused(me.errors.MeasureError):
        me.DCG(gain=(1, 1e300)).evaluate([2, 0], (1, 1))


OF_MAXENT = [cls for cls in MEASURES.values() if cls.__module__.startswith("maxent.")]


def declarations(field: "dataclasses.Field[Any]") -> list[object]:
    """What the annotation of a field says beside its type: ``Annotated[int, ...]``, perhaps ``| None``."""
    parts = (field.type, *get_args(field.type))
    return [mark for part in parts for mark in getattr(part, "__metadata__", ())]


@pytest.mark.parametrize("cls", OF_MAXENT)
def test_a_field_declares_its_parameter_and_a_name_has_one_meaning(cls: type[Any]) -> None:
    for field in dataclasses.fields(cls):
        (parameter,) = declarations(field)
        assert parameter is PARAMETERS[field.name]
    assert "Annotated" not in str(inspect.signature(cls))  # help() shows types


@dataclasses.dataclass(frozen=True, kw_only=True)
class Stops(me.measures.Measure):
    """Parameters that are declared, that have the name of a declared one, or neither."""

    leave: Annotated[float, PARAMETERS["p"]] = 0.5
    shares: Annotated[str | tuple[float, ...], PARAMETERS["g"]] | None = None
    beta: float = 1.0
    levels: tuple[float, ...] | None = None
    steps: int = 3

    def _form(self, relevant: np.ndarray, depth: int) -> Form:
        return linear_form(np.ones(depth), np.ones(len(relevant)))


@pytest.mark.parametrize(
    "parameters",
    [
        {"leave": 1},
        {"shares": (0.5, 0.6)},
        {"beta": -1},
        {"levels": (2, 1)},
        {"steps": 1.5},
    ],
)
def test_a_parameter_is_checked_by_its_declaration_its_name_or_its_type(parameters: dict[str, Any]) -> None:
    with refused(me.errors.MeasureError):
        Stops(**parameters)


@pytest.mark.usefixtures("registry")
def test_a_table_by_grade_is_written_as_numbers_and_counts_the_grades() -> None:
    measure = loose.measures.register_measure(Stops)(shares={1: 0.25, 2: 0.25, 3: 0.5}, levels=4)
    assert str(measure) == "Stops(shares=0.25,0.25,0.5,levels=4)"
    assert (measure.levels, measure.grades) == ((4.0,), 3)


def test_documents_name_all_parameters_that_own_measures_may_have() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "own_measures.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in PARAMETERS)
