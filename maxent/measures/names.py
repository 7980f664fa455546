"""Measures by name: those of this package, and those that other packages register or provide as entry points."""

import difflib
import re
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from maxent.errors import MeasureError, visible
from maxent.measures.describe import complete_docstring, show_plain_types
from maxent.measures.measure import MEASURES, Measure
from maxent.measures.other_tools import ALIASES, canonical_name
from maxent.measures.parameters import PARAMETERS, parameters_of

GROUP = "maxent.measures"
"""Entry-point group in which other packages provide measures."""

Registered = TypeVar("Registered", bound=type[Measure])


def register_measure(cls: Registered) -> Registered:
    """Register a measure of your own, for use in text forms and on the command line; a class decorator.

    Parameters
    ----------
    cls : type
        A frozen dataclass of the parameters, derived from :class:`Measure`, with one of two methods:
        ``_form(relevant, depth)`` returns a :class:`Form`, made by :func:`linear_form` or :func:`pairwise_form`;
        ``_evaluate(grades, relevant, judged)`` returns the values of lists. ``relevant`` (levels,) is R_i, and
        ``grades`` has shape (..., depth).

    Returns
    -------
    type
        The class. If it is defined again, as in a notebook, it replaces the earlier one.

    Raises
    ------
    MeasureError
        If it is not such a class, or its name is taken.

    Examples
    --------
    >>> import maxent as me
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> @me.measures.register_measure
    ... @dataclass(frozen=True, kw_only=True)
    ... class SumOfGrades(me.measures.Measure):
    ...     "Sum of the grades up to a rank."
    ...
    ...     cutoff: int
    ...
    ...     def _form(self, relevant, depth):
    ...         return me.measures.linear_form(np.arange(depth) < self.cutoff, np.arange(1, len(relevant) + 1))
    >>> float(me.parse_measure("SumOfGrades@3").evaluate([2, 0, 1, 1], (2, 1)))
    3.0
    """
    if not is_measure(cls):
        raise MeasureError(f"a measure is a class derived from maxent.measures.Measure, got {cls!r}")
    name = cls.__name__
    dataclass_params = vars(cls).get("__dataclass_params__")
    if dataclass_params is None or not dataclass_params.frozen or not dataclass_params.eq:
        raise MeasureError(
            f"{name} is not a frozen dataclass: write @dataclass(frozen=True, kw_only=True) above the class"
        )
    if not (cls.is_form() or cls.is_cascade()) and cls._evaluate is Measure._evaluate:
        raise MeasureError(f"{name} has neither of the methods _form(relevant, depth) and _evaluate(grades, ...)")
    taken = MEASURES.get(canonical_name(name))
    if taken and (taken.__module__, taken.__qualname__) != (cls.__module__, cls.__qualname__):
        raise MeasureError(f"the name {name} of {cls.__module__}.{cls.__qualname__} is taken: give it another one")
    if cls.__module__.startswith(f"{__package__}."):  # its names mean the same in measures of others
        PARAMETERS.update(parameters_of(cls))
    cls.__doc__ = complete_docstring(cls)
    show_plain_types(cls)
    MEASURES[name] = cls
    return cls


def is_measure(value: Any) -> bool:
    """Whether a value is a class of measures."""
    return isinstance(value, type) and issubclass(value, Measure)


def load_entry_points(name: str | None = None) -> None:
    """Register the measures in the entry-point group ``maxent.measures``, or only the one called ``name``."""
    for point in entry_points(group=GROUP):
        if name not in (None, point.name):
            continue
        where = f"entry point {point.name} = {point.value} of the group {GROUP}"
        try:
            cls = point.load()
        except Exception as error:  # the module of another package may raise anything
            raise MeasureError(f"the {where} cannot be loaded: {error!r}") from error
        if MEASURES.get(getattr(cls, "__name__", "")) is not cls:
            register_measure(cls)
        if cls.__name__ != point.name:
            raise MeasureError(f"the {where} is the measure {cls.__name__}: both must have one name")


def load_file(path: Path, name: str) -> None:
    """Run a Python file, once in a process, and register its measure ``name``."""
    where, module_name = visible(str(path)), str(path.resolve())
    if not path.is_file():
        raise MeasureError(f"{where}: no such file")
    if module_name not in sys.modules:
        spec = spec_from_file_location(module_name, path)
        if spec is None or spec.loader is None:
            raise MeasureError(f"{where}: is no Python file")
        module = sys.modules[module_name] = module_from_spec(spec)  # dataclasses look their module up
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # a user's file may raise anything
            del sys.modules[module_name]
            raise MeasureError(
                f"{where}: cannot be loaded: {_line_of(error, path)}{type(error).__name__}: {error}"
            ) from error
        _pickle_by_value(module)
    defined = vars(sys.modules[module_name])
    measures = [key for key, value in defined.items() if is_measure(value) and value.__module__ == module_name]
    if name not in measures:
        raise MeasureError(f"{where}: no measure {name!r}; it has {', '.join(measures) or 'none'}")
    register_measure(defined[name])


def _line_of(error: Exception, path: Path) -> str:
    """The line of a file that raised an error."""
    lines = [
        step.lineno
        for step in traceback.extract_tb(error.__traceback__)
        if Path(step.filename).resolve() == path.resolve()
    ]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    return f"line {line}: " if line else ""


def _pickle_by_value(module: ModuleType) -> None:
    """Send the classes of a module to other processes whole: these cannot import it."""
    for pickler in ("joblib.externals.cloudpickle", "cloudpickle"):  # those of joblib and of Dask
        with suppress(ModuleNotFoundError):  # Dask is an extra
            import_module(pickler).register_pickle_by_value(module)


def measure_class(name: str) -> type[Measure]:
    """Class of a measure of this or another package, by its name or an alias."""
    canonical = ALIASES.get(name, name)
    if canonical not in MEASURES:
        load_entry_points(canonical)
    if canonical not in MEASURES:
        raise MeasureError(f"unknown measure {name!r}; {suggestion(name)}")
    return MEASURES[canonical]


def suggestion(name: str) -> str:
    """End of the error message for an unknown name: similar names, or else the names of all measures."""
    # of names that differ in case only, a measure's replaces an alias, and GAP replaces gAP
    names = {spelling.lower(): spelling for spelling in (*ALIASES, *reversed(MEASURES))}
    close = [name.lower()] if name.lower() in names else difflib.get_close_matches(name.lower(), names)
    at_cutoff = re.fullmatch(r"(.*[a-z])[@_-]?(\d+)", name, re.I)  # P10, ndcg10
    if at_cutoff and at_cutoff[1].lower() in names:
        return f"did you mean {names[at_cutoff[1].lower()]}@{at_cutoff[2]}?"
    if not close:
        return f"known: {', '.join(MEASURES)}; one of your own: register_measure, or FILE.py:NAME in a command"
    spelling_of_measure: dict[str, str] = {}  # one for each, the closest
    for lower in close:
        spelling = names[lower]
        spelling_of_measure.setdefault(ALIASES.get(spelling, spelling), spelling)
    return f"did you mean {' or '.join(spelling_of_measure.values())}?"
