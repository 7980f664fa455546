"""Agreement between measures in how they rank the systems (xGAP paper 6, tables 2 and 3)."""

from collections.abc import Sequence
from typing import Unpack

import pandas as pd

from maxent.data.collection import Collection, collect
from maxent.data.inputs import Qrels, Runs
from maxent.data.options import CollectOptions
from maxent.errors import ProblemError, require_columns
from maxent.measures import AP, GAP, RBP, Bpref, Measure, as_measures, eGAP, g_grid, nDCG, xGAP
from maxent.measures.graded import threshold_probabilities
from maxent.options import takes
from maxent.progress import progress_bar
from maxent.systems.rankings import better_runs, tau, tau_ap, topic_sets, topic_values

FAMILY = (GAP, xGAP, eGAP)
BASELINES = (AP(), nDCG(), RBP(), Bpref())


@takes(CollectOptions)
def agreement(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    g: Sequence[tuple[float, ...]] | None = None,
    measures: Sequence[Measure | str] = BASELINES,
    few: float = 10.0,
    quantile: float = 0.25,
    **options: Unpack[CollectOptions],
) -> pd.DataFrame:
    """Agreement of GAP, xGAP and eGAP with GAP and other measures, for every g and set of topics.

    Parameters
    ----------
    g : sequence of (levels,) tuples, optional
        Default: the grids of the xGAP paper, in tenths for two positive grades, in fifths for more.
    measures : sequence of Measure or text
        Measures to compare with GAP, xGAP and eGAP; default: AP, nDCG, RBP and Bpref.
    few : float
        A topic has few documents of grade k > 1 if R_1 >= few * R_k and R_k > 0.
    quantile : float
        Only runs whose mean AP is above this quantile take part; 0 keeps all.

    Returns
    -------
    DataFrame
        One row per set of topics, g and pair of measures. Columns topics (``all``, ``few of grade 2``, ...; sets
        without topics are left out), g (text), measure_a (``GAP``, ``xGAP`` or ``eGAP``, with this g), measure_b
        (``GAP`` with this g, or one of ``measures``), tau (Kendall's tau-b between the systems' means), tau_ap
        (:func:`maxent.systems.tau_ap`, mean of both directions).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> table = me.agreement(runs, qrels, g=[(0.5, 0.5)], measures=["AP", "P@10"], quantile=0, depth=100)
    >>> table[table["measure_a"] == "xGAP"].round(2)
      topics        g measure_a measure_b   tau  tau_ap
    3    all  0.5,0.5      xGAP       GAP  1.00     1.0
    4    all  0.5,0.5      xGAP        AP  1.00     1.0
    5    all  0.5,0.5      xGAP      P@10  0.87     0.9
    """
    collection = collect(runs, qrels, **options)
    chosen = tuple(dict.fromkeys(as_measures(measures)))
    points = paper_grid(collection.levels) if g is None else g
    grid = [tuple(threshold_probabilities(GAP(g=point), collection.levels).tolist()) for point in points]
    if not grid:
        raise ProblemError("agreement needs at least one g")
    kept = better_runs(collection, quantile)
    sets = topic_sets(kept, few)
    fixed = topic_values(kept, chosen)
    rows = []
    for point in progress_bar(grid, desc="agreement", unit="g", shown=options["progress"]):
        own = topic_values(kept, [family(g=point) for family in FAMILY])
        text = ",".join(f"{x:.4g}" for x in point)
        for name, part in sets.items():
            ours, others = own[:, part].mean(axis=1), fixed[:, part].mean(axis=1)
            for a, mean in zip(FAMILY, ours, strict=True):
                for b, other in zip(("GAP", *map(str, chosen)), (ours[0], *others), strict=True):
                    both_ways = (tau_ap(mean, other) + tau_ap(other, mean)) / 2  # neither is the truth
                    rows.append((name, text, a.__name__, b, tau(mean, other), both_ways))
    table = pd.DataFrame(rows, columns=["topics", "g", "measure_a", "measure_b", "tau", "tau_ap"])
    return table.sort_values(
        "topics", key=lambda names: names.map(list(sets).index), kind="stable", ignore_index=True
    )


def paper_grid(levels: int) -> list[tuple[float, ...]]:
    """Grid of g of the xGAP paper (tables 2 and 3): in tenths for two grades, in fifths for more."""
    return g_grid(levels=levels, steps=11 if levels <= 2 else 6)


def agreement_matrix(table: pd.DataFrame, value: str = "tau", *, places: int = 2) -> pd.DataFrame:
    """Rows for g and measure_a, columns for measure_b as in the xGAP paper, cells for all sets: ``0.95/0.87``."""
    require_columns(table, ("topics", "g", "measure_a", "measure_b", value), "table of agreement")
    texts = table.assign(text=[f"{x:.{places}f}" for x in table[value]])
    wide = texts.pivot_table(
        index=["g", "measure_a"], columns="measure_b", values="text", aggfunc="/".join, sort=False
    )
    return wide[table["measure_b"].unique()].rename_axis(columns=None).reset_index()
