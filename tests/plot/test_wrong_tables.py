"""Tables without the columns that a function reads give one clear error."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent import plot
from maxent.studies import clicks_table
from maxent.systems import agreement_matrix, summarize_pools
from tests.golden.messages import refused
from tests.plot.test_images import KINDS, Draw

TAKES_A_TABLE: tuple[Any, ...] = (
    *(plot.plot_curves, plot.plot_graded_curves, plot.plot_profile, plot.plot_breakdown, plot.plot_predicted),
    *(plot.plot_steps, plot.plot_informativeness),
    *(plot.plot_choice, plot.plot_predictions, plot.plot_discrimination, plot.plot_confusion, plot.plot_agreement),
    *(
        plot.plot_pools,
        plot.plot_comparison,
        summarize_pools,
        agreement_matrix,
    ),
    clicks_table,
)


@pytest.mark.parametrize("function", TAKES_A_TABLE, ids=lambda function: function.__name__)
@pytest.mark.parametrize("table", [pd.DataFrame({"x": [1.0]}), pd.DataFrame(), "table", None, 3, np.ones((2, 2))])
def test_wrong_tables(function: Any, table: object) -> None:
    with refused(me.errors.InputError):
        function(table)


def test_a_heat_map_of_no_table() -> None:
    with refused(me.errors.InputError):
        plot.plot_heatmap(np.ones((2, 2)), limits=(0, 1))  # type: ignore[arg-type]


def test_the_error_names_what_is_missing_and_what_is_there() -> None:
    with refused(me.errors.InputError):
        summarize_pools(pd.DataFrame({"topics": ["all"], "tau": [1.0]}))


@pytest.mark.parametrize("function", TAKES_A_TABLE[:14], ids=lambda function: function.__name__)
def test_nothing_to_draw(function: Any) -> None:
    """Every column anybody reads, and no row."""
    names = (
        "curve recall precision measure rank grade p run_id query_id threshold rms points target actual predicted"
    )
    names += " added rms_low rms_high verdict known rms_known gain gain_low gain_high lists g_1 objective low high"
    names += (
        " excess_low run_a run_b difference asl grade_a grade_b documents topics g measure_a measure_b tau share"
    )
    names += " baseline mean_baseline mean effect_size reject better worse"
    with refused(me.errors.ProblemError):
        function(pd.DataFrame(columns=names.split()))


@pytest.mark.parametrize("draw", KINDS, ids=lambda draw: draw.__name__)
def test_axes_that_are_none(draw: Draw) -> None:
    with refused(TypeError):
        draw("axes")  # type: ignore[arg-type]
