"""Every analysis takes runs and judgments, or a collection; its options are shown and checked everywhere."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pandas as pd
import pandas.testing as pdt
import pytest

import maxent as me
from maxent.options import (
    ChooseGQuestion,
    ChooseMeasuresQuestion,
    CollectOptions,
    CompareAgreementQuestion,
    CompareDiscriminativeQuestion,
    CompareJudgmentsQuestion,
    CompareMeasuresQuestion,
    ComparePoolsQuestion,
    CompareSystemsQuestion,
    ExplainQuestion,
    PredictQuestion,
    StudyKeywords,
    StudyQuestion,
    options_of,
    types_of,
)
from maxent.studies import StudyOptions, fitting
from tests.golden.messages import refused

ANALYSES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "evaluate": (me.evaluate, {"measures": ["AP"]}),
    "informativeness": (me.informativeness, {"measures": ["AP"], "min_retrieved": 1}),
    "predict": (me.predict, {"measures": ["AP"], "min_retrieved": 1}),
    "compare_measures": (
        me.compare_measures,
        {"measures": ["AP", "P@10"], "references": [None], "depths": [50], "min_retrieved": 1},
    ),
    "choose_g": (me.choose_g, {"g_steps": 3, "refine": False, "min_retrieved": 1}),
    "choose_measures": (me.choose_measures, {"candidates": ["AP", "P@10"], "size": 1, "min_retrieved": 1}),
    "explain": (me.explain, {"run": "system1", "topic": "2", "measures": ["AP"]}),
    "compare_systems": (me.compare_systems, {"measures": ["AP"], "test": "permutation"}),
    "compare_discriminative": (me.compare_discriminative, {"measures": ["AP"]}),
    "compare_agreement": (me.compare_agreement, {"g": [(0.5, 0.5)], "quantile": 0}),
}


def as_table(answer: pd.DataFrame | me.results.Result) -> pd.DataFrame:
    """The table of what an analysis returns."""
    return answer.table if isinstance(answer, me.results.Result) else answer


@pytest.mark.parametrize("name", ANALYSES)
def test_a_collection_goes_in_everywhere(name: str) -> None:
    function, options = ANALYSES[name]
    runs, qrels = me.simulate(systems=3, topics=4, depth=50)
    expected = as_table(function(runs, qrels, depth=50, **options))
    pdt.assert_frame_equal(as_table(function(me.collect(runs, qrels, depth=50), **options)), expected)


DECLARED: dict[str, type] = {
    "collect": CollectOptions,
    "evaluate": CollectOptions,
    "informativeness": StudyKeywords,
    "study": StudyQuestion,
    "predict": PredictQuestion,
    "compare_measures": CompareMeasuresQuestion,
    "choose_g": ChooseGQuestion,
    "choose_measures": ChooseMeasuresQuestion,
    "explain": ExplainQuestion,
    "compare_systems": CompareSystemsQuestion,
    "compare_discriminative": CompareDiscriminativeQuestion,
    "compare_agreement": CompareAgreementQuestion,
    "compare_judgments": CompareJudgmentsQuestion,
    "compare_pools": ComparePoolsQuestion,
}


@pytest.mark.parametrize("name", DECLARED)
def test_every_option_is_shown(name: str) -> None:
    """As ``help()``, IPython, Sphinx and editors ask for it."""
    function = attrgetter(name)(me)
    shown, docstring = inspect.signature(function).parameters, inspect.getdoc(function) or ""
    parameters = docstring[docstring.index("Parameters\n---") : docstring.index("Returns\n---")]
    own = {option for option, each in shown.items() if each.kind is not inspect.Parameter.VAR_KEYWORD}
    assert own == set(shown), "all by name"
    types = types_of(DECLARED[name])
    for option, declared in options_of(DECLARED[name]).items():
        assert shown[option].kind is inspect.Parameter.KEYWORD_ONLY
        assert shown[option].annotation == types[option]
        assert declared.entry.startswith(f"{option} : ")
        assert parameters.count(f"\n{declared.entry}") == 1
        assert shown[option].default == declared.default


@pytest.mark.parametrize("name", DECLARED)
def test_an_option_that_does_not_exist(name: str) -> None:
    function, options = ANALYSES.get(name, (attrgetter(name)(me), {}))
    with refused(TypeError):
        function(None, None, dept=5, **options)


@pytest.mark.slow
def test_type_checkers_know_every_option(tmp_path: Path) -> None:
    """Wrong names and values are errors of mypy, right ones are none."""
    pytest.importorskip("mypy")
    file = tmp_path / "use.py"
    file.write_text("""import maxent as me
me.informativeness({}, {}, depth=5, align="rank", thresholds=[1], duplicates="first", progress=False)
me.informativeness({}, {}, dept=5)
me.informativeness({}, {}, align="rnk")
me.compare_measures({}, {}, count="total")
me.choose_g({}, {}, min_retrieved="5")
me.evaluate({}, {}, measures=["AP"], jobs=2, topics=["1"])
me.evaluate({}, {}, measures=["AP"], align="rank")
""")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(tmp_path), str(file)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=Path(me.__file__).parents[1]).stdout
    assert [int(line.split(":")[1]) for line in found.splitlines() if ": error:" in line] == [3, 4, 5, 6, 8]


def test_defaults_of_a_study_are_those_of_the_function_and_of_long_lists() -> None:
    study = StudyOptions(measures=(me.AP(),), thresholds=(1,))
    reading = fitting(1000, {})
    for name, default in reading.items():
        assert getattr(study, name) == default
    del reading["reading"]
    for name, option in options_of(StudyKeywords).items():
        if name in reading:
            assert option.default is None
            continue
        if name not in ("thresholds", "depth") and hasattr(study, name):  # these are those of the collection
            assert getattr(study, name) == option.default
