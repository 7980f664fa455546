"""Several measures that are known together."""

import pytest

from maxent.errors import MeasureError
from maxent.measures import AP, GAP, Joint, P, as_measures, nDCG, parse_measure
from maxent.measures.joint import joint
from tests.golden.messages import refused


@pytest.mark.parametrize("text", ["AP & P@10", "GAP(g=0.5,0.5) & nDCG(gain=exp2)@10 & RBP(p=0.9)", "counts"])
def test_text_forms_parse_back(text: str) -> None:
    measure = parse_measure(text)
    assert isinstance(measure, Joint)
    assert str(measure) == text
    assert as_measures([text, "AP"]) == (measure, AP())
    assert hash(parse_measure(f" {text.replace(' & ', '&')} ")) == hash(measure)


def test_a_joint_keeps_the_order_of_its_measures() -> None:
    assert Joint((AP(), P(cutoff=10))).parts == (AP(), P(cutoff=10)) != Joint((P(cutoff=10), AP())).parts
    assert Joint().parts == ()
    assert AP().parts == (AP(),)
    assert joint((AP(),)) == AP()


@pytest.mark.parametrize(
    "text",
    [
        "AP & AP(rel=1)",
        "AP & Bpref",
        "AP &",
        "AP & counts",
        "AP & APP",
    ],
)
def test_joints_that_make_no_sense(text: str) -> None:
    with refused(MeasureError):
        parse_measure(text)


def test_a_joint_is_no_single_measure() -> None:
    with refused(MeasureError):
        Joint((AP(),))
    both = Joint((AP(), nDCG()))
    for call in (
        lambda: both.evaluate([1, 0, 2], (2, 1)),
        lambda: both.expected([[0.5, 0.5]], (2,)),
        lambda: both.form((2,), 3),
    ):
        with refused(MeasureError):
            call()
    assert not Joint.is_form()
    assert GAP.is_form()
