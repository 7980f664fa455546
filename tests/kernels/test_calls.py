"""The door to machine code: what the signatures do not describe gets no address."""

import re
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from maxent.kernels import Parameter, call, flatten, parameters_of
from maxent.kernels.loops import compare
from tests.golden.messages import refused

MODULES = ("native", "lambda_loops", "lists", "list_logs")
ENTRIES = [entry for module in MODULES for entry in import_module(f"maxent.kernels.loops.{module}").ENTRIES]


def fitting(parameter: Parameter) -> Any:
    """An argument that a parameter takes."""
    if parameter.dtype is None:
        return 1
    return np.zeros((2, 3, 2, 3)[: parameter.ndim], dtype=parameter.dtype)


def unfit(array: np.ndarray) -> list[tuple[np.ndarray, type[Exception], str]]:
    """Arrays that are like another one but for something, with what the error says."""
    other = np.int32 if array.dtype == np.int64 else np.float32
    swapped = array.astype(array.dtype.newbyteorder())
    strided = np.zeros((*array.shape, 2), dtype=array.dtype)[..., 0]
    fixed = array.copy()
    fixed.setflags(write=False)
    return [
        (array.astype(other), TypeError, f"got {np.dtype(other)} "),
        (swapped, TypeError, f"got {swapped.dtype} "),
        (strided, ValueError, "got a view that is not contiguous"),
        (fixed, ValueError, "got a read-only array"),
    ]


@pytest.mark.parametrize("function", ENTRIES, ids=lambda function: function.__name__)
def test_every_argument_of_every_function_is_checked(function: Any) -> None:
    name, parameters = function.__name__, parameters_of(function)
    arguments = [fitting(parameter) for parameter in parameters]
    assert len(flatten(name, arguments, parameters)) >= len(parameters)
    for k, parameter in enumerate(parameters):
        wrong: list[tuple[Any, type[Exception], str]] = [("1", TypeError, "got str")]
        if parameter.dtype is None:
            wrong += [(1.0, TypeError, "got float"), (np.zeros(1), TypeError, "got ndarray")]
        else:
            more = arguments[k][None]
            axes = ValueError, f"of shape ({parameter.axes}), got shape {more.shape}"
            wrong += [(1, TypeError, "got int"), *unfit(arguments[k]), (more, *axes)]
        for argument, error, says in wrong:
            with pytest.raises(error, match=rf"^{name}: {parameter.label} .*{re.escape(says)}"):
                flatten(name, [*arguments[:k], argument, *arguments[k + 1 :]], parameters)


def test_arguments_have_the_names_of_the_loops() -> None:
    labels = [parameter.label for parameter in parameters_of(compare)]
    assert labels[:4] == ["ranks", "lists.begin", "lists.end", "lists.ranks"]
    assert labels[-2:] == ["first", "used"]


def test_missing_arguments_are_refused() -> None:
    with refused(TypeError):
        call("expected_inverse", cumulated=np.zeros((1, 3)))


def test_fields_of_another_named_tuple_are_refused() -> None:
    with refused(ValueError):
        call("compare", ranks=np.zeros((1, 3, 1)), lists=(1,), first=0, used=1)


def test_the_door_is_at_the_call() -> None:
    above, inverse = np.zeros((2, 1, 3))
    cumulated = np.zeros((1, 3), dtype=np.float32)
    with refused(TypeError):
        call("expected_inverse", cumulated=cumulated, points=2, above=above, inverse=inverse)
