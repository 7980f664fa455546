"""The choice of g (GAP paper 2.2 and 4.1), or of the gains of nDCG: the smallest error of the curves."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import NamedTuple, Unpack, cast

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.collection import Collection
from maxent.errors import ProblemError, require_columns
from maxent.measures import GAP, nDCG, parse_measure
from maxent.measures.candidates import KINDS, Kind, candidate, candidates_of
from maxent.options import BootstrapKeywords, takes
from maxent.results.finding import Finding
from maxent.stats.comparison import Comparison
from maxent.studies.broken_stick import beside_broken_stick, level_of, with_better_gains
from maxent.studies.informativeness import table_and_lists
from maxent.studies.options import StudyOptions
from maxent.studies.refine_g import observed_lists, refine_g
from maxent.studies.same_lists import (
    LIST,
    STUDY,
    compare_means,
    no_common_list,
    ranked_lists,
    threshold_shares,
    without_content,
)
from maxent.studies.shown_lists import ShownLists
from maxent.studies.study_finding import BEST, NO_CONTENT, RECOMMENDED, REFINED, choice_finding, simplest
from maxent.studies.topics import forgotten_on_error
from maxent.studies.used import ListCounts, require_solved


@dataclass(frozen=True, eq=False)
class GChoice:
    """The choice of g: every candidate, and the one that is recommended.

    Attributes
    ----------
    g : (levels,) tuple
        The candidate with the smallest objective, be it refined; for nDCG the steps between its gains, divided by
        the last gain.
    table : DataFrame
        One row per candidate, in the order of the grid, a refined one last: measure, role (``recommended``;
        ``best``: of the grid, if another is recommended; ``refined``; or empty), g_1, g_2, ..., objective (mean RMS
        error, weighted over the thresholds), low and high (its 95 % bootstrap interval over topics), excess_low and
        excess_high (unadjusted interval of the objective minus the smallest one of the grid), may_be_best (whether
        the candidate is in the model confidence set, which has the best of the grid with 95 % confidence; missing
        over fewer than 15 topics and for a refined one), share_best (share of the replicates in which this
        candidate has the smallest objective of the grid, ties split equally; NaN if it is refined), rms_t1, rms_t2,
        ... (mean RMS error for each threshold with a positive weight), lists (number of lists in the means), topics
        (of these lists).
    finding : Finding
        The recommended candidate and the best of the grid in words: sentence, support, cautions.
    study : DataFrame
        The study of the candidates, as from :func:`maxent.informativeness`.
    null : DataFrame
        Row of the broken stick, a measure without content, with the columns of ``table``; no row if the study does
        not have it.
    """

    g: tuple[float, ...]
    table: pd.DataFrame
    finding: Finding
    study: pd.DataFrame
    null: pd.DataFrame

    def __repr__(self) -> str:
        return "\n".join((f"GChoice(g={self.g})", str(self.finding), *self.finding.cautions))

    def _repr_html_(self) -> str:
        table = self.table.drop(columns=self.table.filter(regex="^g_").columns)
        shown = table.to_html(index=False, float_format="{:.4f}".format, na_rep="-")  # escapes names
        lines = "<br>".join(map(escape, (*self.finding.support, *self.finding.cautions)))
        return f"<p><b>{escape(self.finding.sentence)}</b><br>{lines}</p>{shown}"

    @property
    def simplest(self) -> tuple[float, ...]:
        """The recommended g, which is the simplest of the grid that may be the best.

        AP is the simplest, then equal g_k, then the fewest decimals.
        """
        rows = self.table.set_index("measure").filter(regex="^g_")
        return tuple(map(float, rows.loc[simplest(self.table)]))

    @property
    def beside_null(self) -> pd.DataFrame:
        """The candidates and, last, the broken stick."""
        return pd.concat([self.table, self.null], ignore_index=True)

    @property
    def measure(self) -> GAP | nDCG:
        """GAP with the g of the smallest objective, or nDCG with such gains."""
        smallest = int(self.table["objective"].to_numpy().argmin())
        return cast(GAP | nDCG, parse_measure(self.table["measure"].iloc[smallest]))

    @property
    def kind(self) -> Kind:
        """``GAP`` if its g was chosen, ``nDCG`` if its gains were."""
        return "GAP" if isinstance(self.measure, GAP) else "nDCG"


@takes(BootstrapKeywords)
def choose_among(
    collection: Collection,
    options: StudyOptions,
    *,
    measure: Kind,
    refine: bool,
    weights: Mapping[int, float] | None,
    **samples: Unpack[BootstrapKeywords],
) -> tuple[GChoice, ShownLists]:
    """Choice as by :func:`choose_g` among the measures of ``options``, and the lists that the explorer shows."""
    threshold_shares(weights, options.thresholds)  # an error before the work
    table, shown = table_and_lists(collection, options)
    with forgotten_on_error(collection, options):
        require_solved(table, collection, options)
    table = with_better_gains(table, weights)
    scope = {name: value for name, value in options.scope.items() if name != "gain"}  # the gain of nDCG is chosen
    choice = _choose(table, scope, options.cautions, weights, measure, **samples)
    if not refine or collection.levels == 1 or options.model == "lists":
        return choice, shown
    lists = observed_lists(collection, ranked_lists(choice.study, LIST), options.reference)
    if not lists:
        return choice, shown
    shares = comparable(choice.study, weights, measure).shares
    refined = candidate(measure, refine_g(choice.g, lists, shares, options, measure))
    if refined in options.measures:
        return choice, shown
    refined_options = replace(options, measures=(refined,), checkpoint=None)
    refined_table, shown = table_and_lists(collection, refined_options, shown)
    both = pd.concat([table, refined_table], ignore_index=True)
    return with_refined(choice, both, str(refined), scope, options.cautions, weights, measure, **samples), shown


def with_refined(
    choice: GChoice,
    table: pd.DataFrame,
    refined: str,
    reading: Mapping[str, str] | None = None,
    cautions: tuple[str, ...] = (),
    weights: Mapping[int, float] | None = None,
    kind: Kind = "GAP",
    **samples: Unpack[BootstrapKeywords],
) -> GChoice:
    """A choice with a refined candidate beside the grid, if it is better on the same lists; else the choice itself.

    It was sought on these very lists, so it neither decides what is recommended, nor are differences from it.
    """
    with_candidate = _choose(table, reading or {}, cautions, weights, kind, refined, **samples)
    is_best = str(with_candidate.measure) == refined
    on_same_lists = with_candidate.table["lists"].iloc[0] == choice.table["lists"].iloc[0]
    return with_candidate if is_best and on_same_lists else choice


@takes(BootstrapKeywords)
def choose_from(
    table: pd.DataFrame,
    *,
    weights: Mapping[int, float] | None = None,
    measure: Kind = "GAP",
    **options: Unpack[BootstrapKeywords],
) -> GChoice:
    """Choose the most informative g of GAP, or gains of nDCG, from the table of a finished study.

    The candidates are the measures of the table with numbers for g or for gains. All are compared on the same
    lists: the lists of :func:`maxent.league` for all measures of the table.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.
    weights, measure
        As for :func:`maxent.choose_g`.

    Returns
    -------
    GChoice

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> measures = [me.GAP(g=g) for g in me.g_grid(steps=3)]
    >>> table = me.informativeness(runs, qrels, measures=measures, min_retrieved=1, depth=100)
    >>> me.studies.choose_from(table).g
    (0.0, 1.0)
    >>> me.studies.choose_from(table, weights={2: 1}).g  # only the curve of the documents of grade 2 matters
    (0.0, 1.0)
    """
    check_choice("measure", measure, KINDS, raises=ProblemError)
    return _choose(table, {}, (), weights, measure, **options)


def _choose(
    table: pd.DataFrame,
    reading: Mapping[str, str],
    cautions: tuple[str, ...],
    weights: Mapping[int, float] | None,
    kind: Kind,
    refined: str = "",
    **samples: Unpack[BootstrapKeywords],
) -> GChoice:
    """As :func:`choose_from`, for the reading of a study, with cautions about its collection."""
    # 1. errors of all candidates on the same lists; a refined one, if any, is no candidate for the best
    rows, shares = comparable(table, weights, kind)
    names = rows["measure"].unique().tolist()
    comparison = compare_means(rows, shares, **samples)
    of_grid = comparison.among([name for name in names if name != refined])
    best = of_grid.best
    excess = comparison.to(best)
    # 2. their table
    g_of = candidates_of(table["measure"], kind)
    g_table = pd.DataFrame([g_of[name] for name in names], index=pd.Index(names, name="measure"))
    candidates = (
        g_table.rename(columns=lambda k: f"g_{k + 1}")
        .join(comparison.table.set_axis(["objective", "low", "high"], axis=1))
        .join(excess.drop(columns="difference").set_axis(["excess_low", "excess_high"], axis=1))
        .join(of_grid.may_be_best())
        .join(of_grid.share_best().rename("share_best"))
        .join(pd.DataFrame({f"rms_t{t}": comparison.parts[t].means for t in shares.index}))
        .reset_index()
    )
    sizes = ListCounts.of(table, rows)
    candidates["lists"], candidates["topics"] = sizes.lists.used, sizes.topics
    # 3. their roles; the recommended one may be the best, too
    candidates.insert(1, "role", np.where(candidates["measure"] == refined, REFINED, ""))
    recommended = simplest(candidates)
    candidates.loc[candidates["measure"] == best, "role"] = BEST
    candidates.loc[candidates["measure"] == recommended, "role"] = RECOMMENDED
    # 4. the broken stick beside the candidates
    beside = beside_broken_stick(rows, table[without_content(table)], shares=shares, **samples)
    if beside is None:
        levels, null = [], candidates.iloc[:0]
    else:
        levels = [level_of(beside, name) for name in (best, recommended)]
        null = _null_row(levels[0].name, beside, best, candidates)
    return GChoice(
        g=g_of[str(comparison.means[names].idxmin())],
        table=candidates,
        finding=choice_finding(candidates, excess, sizes, reading, cautions, weights, levels),
        study=table,
        null=null,
    )


def _null_row(name: str, beside: Comparison, best: str, candidates: pd.DataFrame) -> pd.DataFrame:
    """Row of the broken stick ``name`` with the columns of the candidates, from a comparison that has it."""
    means, excess = beside.table.loc[name], beside.to(best).loc[name]
    row = {
        "measure": name,
        "role": NO_CONTENT,
        "objective": means["rms"],
        "low": means["rms_low"],
        "high": means["rms_high"],
        "excess_low": excess["difference_low"],
        "excess_high": excess["difference_high"],
        "lists": candidates["lists"].iloc[0],
        "topics": candidates["topics"].iloc[0],
    }
    row |= {f"rms_t{t}": comparison.means[name] for t, comparison in beside.parts.items()}
    return pd.DataFrame([row]).reindex(columns=candidates.columns).astype({"may_be_best": "boolean"})


class ComparableRows(NamedTuple):
    """Rows of the candidates, on the lists on which a study ranks its measures, and weights of the thresholds."""

    rows: pd.DataFrame
    shares: pd.Series  # by threshold; of those that lists reach


def comparable(table: pd.DataFrame, weights: Mapping[int, float] | None, kind: Kind = "GAP") -> ComparableRows:
    """What the candidates of a study are compared on; ProblemError without a candidate or a list."""
    require_columns(table, STUDY, "table of a study")
    candidates = candidates_of(table["measure"], kind)
    if not candidates:
        numbers = "g" if kind == "GAP" else "gains"
        raise ProblemError(f"the table has no {kind} measure with numbers for {numbers} to choose from")
    ranked_rows = ranked_lists(table)
    rows = ranked_rows[ranked_rows["measure"].isin(candidates)]
    if rows.empty:
        raise ProblemError(no_common_list(table))
    shares = threshold_shares(weights, sorted(map(int, ranked_rows["threshold"].unique())))
    return ComparableRows(rows[rows["threshold"].isin(shares.index)], shares)
