"""The measures of this package in ir_measures, and thereby in PyTerrier.

Importing this module registers them with ir_measures: its functions, its measure strings and ``pt.Experiment`` then
accept ``GAP(g='0.5,0.5')`` and the others. The measures are attributes of this module, which PyTerrier provides as
``pt.maxent``. ``python -m maxent.ir_measures QRELS RUN MEASURE...`` is ir_measures' command line with these
measures.

Names that ir_measures already has keep their meaning: ``maxent.ir_measures.ERR`` is the ERR of ir_measures. The
other measures have the parameters of this package. A parameter with several numbers can be a list, a tuple or a
string. It prints as a string, because ir_measures cannot parse tuples.

Examples
--------
>>> import ir_measures
>>> from maxent.ir_measures import GAP
>>> GAP(g=(0.5, 0.5)), GAP(g=(0.5, 0.5)) == GAP(g=".5, .5")
(GAP(g='0.5,0.5'), True)
>>> qrels = {"1": {"a": 2, "b": 1}}
>>> run = {"1": {"b": 3.0, "c": 2.0, "a": 1.0}}  # document and score
>>> values = ir_measures.calc_aggregate([GAP(g=(0.5, 0.5)), ir_measures.AP], qrels, run)
>>> round(values[GAP(g=(0.5, 0.5))], 3), round(values[ir_measures.AP], 3)
(0.667, 0.833)
"""

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields
from importlib.metadata import entry_points
from runpy import run_module
from typing import Any, ClassVar

import ir_measures
import numpy as np
from ir_measures import measures, providers
from ir_measures.util import QrelsConverter, RunConverter

from maxent.data.inputs import run_columns
from maxent.data.judgments import ENDED, Judgments
from maxent.data.run_lists import RunLists, grades_of
from maxent.errors import MeasureError
from maxent.measures import MEASURES, JudgedNonrelevant, Measure, parse_measure
from maxent.measures.names import GROUP, load_entry_points
from maxent.measures.parameters import parameters_of
from maxent.measures.parse import from_ir_measures
from maxent.types import IntArray

DEPTH = 1000
"""Depth to which shorter lists are padded, as by ``maxent.evaluate``; longer ones are not cut."""
SCRIPT = "gdeval"
"""Provider of ir_measures for ERR: a Perl script that fails for topics such as ``31_1``. Ours is asked first."""
IN_BOTH = ("AP", "P", "R", "RR", "Rprec", "Bpref", "Success", "nDCG", "RBP", "ERR")
"""Names with the same meaning in both packages, for the parameters that :func:`translated` handles."""


class _Measure(measures.Measure):
    """Base class of this package's measures as measures of ir_measures."""

    of_maxent: ClassVar[bool] = True  # isinstance would fail where the module is loaded again

    def __init__(self, **params: Any) -> None:
        required = {name for name, info in self.SUPPORTED_PARAMS.items() if info.required}
        if required <= params.keys():  # otherwise a template: GAP, whose g is still to come
            params = _parameters(_parse(self.NAME, params))
        super().__init__(**params)

    def validate_params(self) -> None:
        translated(self)  # raises what is wrong

    def __reduce__(self) -> Any:  # its class is made anew in every process
        return _restored, (self.NAME, self.params)


def translated(measure: measures.Measure) -> Measure | None:
    """Measure of this package that equals an ir_measures measure; None if there is none."""
    if hasattr(measure, "of_maxent"):
        return _parse(measure.NAME, measure.params)
    if measure.NAME not in IN_BOTH:
        return None
    try:
        return from_ir_measures(measure)
    except MeasureError:  # a parameter that ours does not have
        return None


def _ours(measure: measures.Measure) -> Measure:
    """Measure as from :func:`translated`, but an error if there is none."""
    translation = translated(measure)
    if translation is None:
        raise MeasureError(f"maxent has no measure that is the same as {measure} of ir_measures")
    return translation


class _Evaluator(providers.Evaluator):
    """Evaluator of any number of runs, which prepares the judgments once."""

    def __init__(self, wanted: Iterable[measures.Measure], qrels: Any) -> None:
        table = QrelsConverter(qrels).as_pd_dataframe()
        self.judged = Judgments.of(table) if len(table) else None
        super().__init__(list(wanted), list(self.judged.topics) if self.judged else [])
        self.ours = [_ours(measure) for measure in self.measures]

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        if self.judged is None:  # of a batch of topics without judgments
            return
        grades_of_topics = _grades(RunConverter(run).as_pd_dataframe(), self.judged)
        highest = int(self.judged.grades.max())
        for measure, ours in zip(self.measures, self.ours, strict=True):
            # a batch may lack the grade that counts as relevant; the measure itself adds the grades of its g
            counts = self.judged.count(max(highest, getattr(ours, "rel", 1)))
            for topic, padded, counts_of_topic in zip(self.judged.topics, grades_of_topics, counts, strict=True):
                # to the end of this list, so that no value depends on the lists of other topics
                grades = padded[: max(DEPTH, np.count_nonzero(padded != ENDED))]
                nonrelevant, *relevant = counts_of_topic.tolist()
                judged = JudgedNonrelevant(grades == 0, nonrelevant)
                value = ours.evaluate(grades.clip(min=0), relevant, judged=judged)
                yield ir_measures.Metric(topic, measure, float(value))


class _Provider(providers.Provider):
    """Provider through which ir_measures computes values of this package's measures."""

    NAME = "maxent"

    def supports(self, measure: measures.Measure) -> bool:
        measure.validate_params()
        return translated(measure) is not None

    def _evaluator(self, wanted: Iterable[measures.Measure], qrels: Any) -> _Evaluator:
        return _Evaluator(wanted, qrels)


def register() -> None:
    """Register the measures of this package, and those that installed packages add to it, with ir_measures.

    Importing the module calls this function. Call it again after you register a measure of your own; repeated calls
    are harmless. ir_measures still asks its own providers first, except for ERR. An entry point that cannot be
    loaded causes only a warning, because PyTerrier imports this module when it starts.

    Examples
    --------
    >>> import maxent.ir_measures
    >>> maxent.ir_measures.register()
    >>> maxent.ir_measures.Q(gain="exp2").calc_aggregate({"1": {"a": 2, "b": 1}}, {"1": {"a": 1.0}})
    0.5
    """
    # 1. measures
    for point in entry_points(group=GROUP):
        try:
            load_entry_points(point.name)
        except MeasureError as error:
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)
    for name, cls in MEASURES.items():
        if hasattr(measures.registry.get(name), "of_maxent"):
            del measures.registry[name]  # an earlier one
        if name not in measures.registry:
            measures.register(_measure(name, cls))
    # 2. the provider, just before the script
    provider = providers.register(_Provider())
    others = [other for other in ir_measures.DefaultPipeline.providers if other.NAME != provider.NAME]
    names = [other.NAME for other in others]
    place = names.index(SCRIPT) if SCRIPT in names else len(others)
    ir_measures.DefaultPipeline.providers = [*others[:place], provider, *others[place:]]


def main() -> None:
    """Run ir_measures' command line with the measures of this package."""
    try:
        sys.argv[1:] = [" ".join(map(_respell, argument.split(" "))) for argument in sys.argv[1:]]
        run_module("ir_measures", run_name="__main__")
    except ValueError as error:
        print(f"maxent.ir_measures: error: {error}", file=sys.stderr)
        sys.exit(2)


def _respell(text: str) -> str:
    """Argument of the command line: a measure in the spelling that ir_measures reads, others unchanged."""
    name = re.split("[(@]", text)[0]
    if name not in MEASURES:
        return text
    try:
        ir_measures.parse_measure(text).validate_params()  # later it would call any mistake a syntax error
    except MeasureError:
        raise
    except AssertionError as error:  # a parameter that the measure of ir_measures does not have
        supported = ", ".join(measures.registry[name].SUPPORTED_PARAMS)
        raise MeasureError(f"{text}: {error}; {name} of ir_measures takes {supported}") from None
    except ValueError:  # it reads no g=0.5,0.5 without quotation marks
        if not hasattr(measures.registry[name], "of_maxent"):
            raise
        return str(measures.registry[name](**_parameters(parse_measure(text))))
    return text


def __getattr__(name: str) -> Any:
    if name not in MEASURES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in measures.registry:
        register()
    return measures.registry[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *MEASURES})


def _measure(name: str, cls: type[Measure]) -> _Measure:
    """Measure of ir_measures for a class of this package."""
    params, parameters = {}, parameters_of(cls)
    for field in fields(cls):
        default = {"required": True} if field.default is MISSING else {"default": field.default}
        params[field.name] = measures.ParamInfo(desc=parameters[field.name].meaning or None, **default)
    attributes = {
        "NAME": name,
        "SUPPORTED_PARAMS": params,
        "SHORT_DESC": (cls.__doc__ or name).partition("\n")[0],
        "__doc__": cls.__doc__,
        "__name__": name,  # of an instance, where ir_measures looks for it
    }
    measure: _Measure = type(f"_{name}", (_Measure,), attributes)()
    return measure


def _restored(name: str, params: dict[str, Any]) -> measures.Measure:
    return measures.registry[name](**params)


def _parse(name: str, params: dict[str, Any]) -> Measure:
    """Measure of this package from parameters in any spelling; equal measures have the same text."""
    inside = ",".join(f"{key}={_text(value)}" for key, value in params.items() if value is not None)
    return parse_measure(f"{name}({inside})")


def _parameters(measure: Measure) -> dict[str, Any]:
    """Parameters that differ from the default, in the spelling that ir_measures prints and reads."""
    parameters = {}
    for field in fields(measure):
        value = getattr(measure, field.name)
        if value != field.default:
            parameters[field.name] = _text(value) if isinstance(value, tuple) else value
    return parameters


def _text(value: Any) -> str:
    if np.ndim(value):
        return ",".join(map(_text, value))
    return str(value).removesuffix(".0")


def _grades(run: Any, judged: Judgments) -> IntArray:
    """Grades by rank for every topic of the judgments, (topics, ranks); ``ENDED`` after the last document."""
    if not len(run):
        return np.full((len(judged.topics), DEPTH), ENDED, dtype=np.int16)
    columns = run_columns("run", run)
    lists = RunLists.of(columns)
    list_of_topic = lists.for_topics(judged.topics)  # -1 for a topic without one
    longest = int(lists.lengths[list_of_topic[list_of_topic >= 0]].max(initial=0))
    return grades_of(lists.ranked(list_of_topic, max(DEPTH, longest)), columns, judged)


register()

if __name__ == "__main__":
    main()
