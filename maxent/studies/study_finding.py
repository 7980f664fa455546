"""Findings of studies and their certainty, in the sentences that terminal, report, figure and notebook share."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from maxent.results.finding import SCOPE, Finding
from maxent.stats.intervals import ROUNDING
from maxent.studies.options import StudyOptions
from maxent.studies.reading_words import text_of
from maxent.studies.same_lists import Comparison, no_common_list
from maxent.studies.summary import Compared
from maxent.studies.used import ListCounts
from maxent.texts import g_label, many, measure_label

SIMPLE = "the simplest is AP, or else equal g, or else the g with the fewest decimals; ties go to the smaller error"
SIMPLE_GAINS = (
    "the simplest are flat gains, or else linear ones, or else those with the fewest decimals; "
    "ties go to the smaller error"
)
QUESTIONS = {
    "retrieved": "beside the number of relevant documents found",
    "total": "where all relevant documents are found",
    "at_most": "alone, without the number found",
}
"""What a study with several counts asks, by count."""
RECOMMENDED, BEST, REFINED = "recommended", "best", "refined"  # roles of candidates
SHOWN = 3  # rivals that a sentence names


def study_finding(
    table: pd.DataFrame,
    options: StudyOptions,
    compared: Compared,
    candidates: pd.DataFrame | None = None,
    weights: Mapping[int, float] | None = None,
) -> Finding:
    """The best of the measures that a study compares, its differences to others, and the choice of g."""
    lists, names = compared.lists, compared.names
    if not names:
        sentence = f"no measure is the best: {no_common_list(table)}"
        return Finding(sentence, (lists.text, *scope(options.scope)), (*lists.cautions, *options.cautions))
    comparison = compared.weighted(weights)
    best, rivals, number = comparison.best, comparison.rivals(), len(names)
    among = f"of {many(number, 'measure')}" if number > 1 else "of the only measure"
    if (graded := sum(name.startswith("GAP(") for name in names)) > 1:
        among += f" ({graded} of them GAP)"
    certain = not rivals and comparison.topics > 1 and number > 1
    sentence = f"{'most informative' if certain else 'smallest error'} {among}: {measure_label(best)}"
    same = [name for name in map(measure_label, names[best].split("; ")) if name and name != measure_label(best)]
    sentence += f" (the same on these lists: {'; '.join(same)})" if same else ""
    sentence += f", but {_indistinguishable(rivals)}" if rivals else ""
    error = f"mean RMS error {comparison.means[best]:.4f}{thresholds_text(weights, options.thresholds)}"
    lines = [
        f"{error}, on {lists.text}",
        *_differences(comparison.to(best), [*compared_first(comparison.to(best), SHOWN), *_usual(comparison)]),
    ]
    if compared.constant:
        shown = ", ".join(map(measure_label, compared.constant))
        lines.append(f"not ranked, as the counts alone fix most of their values: {shown}")
    if candidates is not None:
        lines.append(f"recommended g, of {len(candidates)} candidates: {_chosen(candidates)}")
        lines += [SIMPLE] if simplest(candidates) != best_of(candidates) else []
    return Finding(sentence, (*lines, *scope(options.scope)), (*lists.cautions, *options.cautions))


def joined_finding(findings: Mapping[str, Finding], lists: str = "") -> Finding:
    """The findings of a study for one or several counts as one, with a line that explains ties on the ``lists``."""
    questions = {count: f"{QUESTIONS[count]}: " if len(findings) > 1 else "" for count in findings}
    sentence = ".\n".join(questions[count] + finding.sentence for count, finding in findings.items())
    lines = [
        line
        for count, finding in findings.items()
        for line in (questions[count] + finding.support[0], *finding.support[1:-1])
    ]
    *_, last = findings.values()
    reading = last.support[-1].replace(f"count={[*findings][-1]}", f"count={' and '.join(findings)}")
    cautions = dict.fromkeys(caution for finding in findings.values() for caution in finding.cautions)
    return Finding(sentence, (*lines, reading, *([lists] if lists else [])), tuple(cautions))


def choice_finding(
    candidates: pd.DataFrame,
    excess: pd.DataFrame,
    lists: ListCounts,
    reading: Mapping[str, object],
    cautions: tuple[str, ...],
    weights: Mapping[int, float] | None = None,
) -> Finding:
    """The recommended g and its differences, among candidates as in ``GChoice.table``, and a refined g if any.

    ``excess`` has the differences to the best candidate of the grid.
    """
    best, simple = best_of(candidates), simplest(candidates)
    grid, refined = of_grid(candidates), candidates[candidates["role"] == REFINED]
    rows, excess_of_grid = grid.set_index("measure"), excess.loc[grid["measure"]]
    gains = best.startswith("nDCG")
    thresholds = [int(name.removeprefix("rms_t")) for name in map(str, candidates) if name.startswith("rms_t")]
    error = f"mean RMS error of the best {rows['objective'][best]:.4f}{thresholds_text(weights, thresholds)}"
    if np.isfinite(rows["low"][best]):
        error += f", 95 % [{rows['low'][best]:.4f}, {rows['high'][best]:.4f}]"
    lines = [f"{error}, on {lists.text}"]
    plain = [name for name in rows.index if rows["g_1"][name] == 1]
    reasons = dict.fromkeys(plain, "flat gains" if gains else "AP") | {simple: "recommended"}
    lines += _differences(excess_of_grid, [simple, *compared_first(excess_of_grid, 1), *plain], reasons)
    lines += [_refined(excess.loc[name]) for name in refined["measure"]]
    lines += [SIMPLE_GAINS if gains else SIMPLE] if simple != best else []
    sentence = f"recommended {'gains of nDCG' if gains else 'g'}: {_chosen(candidates)}"
    return Finding(sentence, (*lines, *scope(reading)), (*lists.cautions, *cautions))


def of_grid(candidates: pd.DataFrame) -> pd.DataFrame:
    """The candidates that decide what is recommended: all but a refined one, which was sought on the same lists."""
    return candidates[candidates["role"] != REFINED] if "role" in candidates else candidates


def simplest(candidates: pd.DataFrame) -> str:
    """The recommended candidate, the simplest indistinguishable from the best: AP, equal g_k, fewest decimals."""
    best, rows = best_of(candidates), of_grid(candidates).set_index("measure")
    g_by_name = {str(name): tuple(g) for name, g in rows.filter(regex="^g_").T.items()}

    def effort(name: str) -> tuple[bool, bool, int, float]:
        g = g_by_name[name]
        decimals = max(len(np.format_float_positional(x, trim="-").partition(".")[2]) for x in g)
        return g[0] != 1, len(set(g)) > 1, decimals, float(rows["objective"][name])

    return min((name for name in g_by_name if rows["excess_low"][name] <= ROUNDING or name == best), key=effort)


def scope(reading: Mapping[str, object]) -> tuple[str, ...]:
    """Line with the reading under which a finding holds; none if it is unknown."""
    return (f"{SCOPE}{text_of(reading)}",) if reading else ()


def thresholds_text(weights: Mapping[int, float] | None, thresholds: Iterable[int]) -> str:
    """Thresholds over which an error is averaged, in words; empty for a single one."""
    if weights is not None:
        return f" over thresholds with weights {', '.join(f'{t}: {w:g}' for t, w in sorted(weights.items()))}"
    listed = [str(t) for t in thresholds]
    return f" over thresholds {', '.join(listed)}" if len(listed) > 1 else ""


def _indistinguishable(names: Iterable[str]) -> str:
    """Clause that measures are indistinguishable from "it", the measure already named."""
    listed = list(dict.fromkeys(map(measure_label, names)))
    rest = len(listed) - SHOWN
    first, last = (listed[:-1], listed[-1]) if rest <= 0 else (listed[:SHOWN], many(rest, "other"))
    verb = "is" if len(listed) == 1 else "are"
    return f"{' and '.join(filter(None, (', '.join(first), last)))} {verb} indistinguishable from it (95 %)"


def _usual(comparison: Comparison) -> Iterator[str]:
    """Best variants of AP and of nDCG, which readers expect in a comparison."""
    order = comparison.means.sort_values(kind="stable").index
    for kind in ("AP", "nDCG"):
        yield from [name for name in order if re.split("[(@]", measure_label(name))[0] == kind][:1]


def compared_first(excess: pd.DataFrame, most: int) -> list[str]:
    """Up to ``most`` measures indistinguishable from the best, then the first distinguishable one."""
    rest = excess.sort_values("difference", kind="stable").iloc[1:]
    rivals = rest["difference_low"] <= ROUNDING
    return [*rest.index[rivals][:most], *rest.index[~rivals][:1]]


def _differences(
    excess: pd.DataFrame, names: Sequence[str], reasons: Mapping[str, str] | None = None
) -> Iterator[str]:
    """A line for each named measure except the best: its rank, and its error above the smallest.

    ``reasons`` gives, for some measures, why they are named.
    """
    ranks = excess["difference"].rank(method="first").astype(int)
    for name in dict.fromkeys(names):
        row, shown, reason = excess.loc[name], measure_label(name), (reasons or {}).get(name, "")
        if ranks[name] == 1:
            continue
        why = "" if not reason or reason in shown else f"{reason}, "
        ends = f"95 % [{row['difference_low']:.4f}, {row['difference_high']:.4f}]"
        verdict = "distinguishable" if row["difference_low"] > ROUNDING else "not distinguishable"
        certain = f", {ends}, {verdict}" if np.isfinite(row["difference_low"]) else ""
        yield f"{shown} ({why}rank {ranks[name]}): larger by {row['difference']:.4f}{certain}"


def _chosen(candidates: pd.DataFrame) -> str:
    """The recommended g, and the best of the grid, in words."""
    best, simple, grid = best_of(candidates), simplest(candidates), of_grid(candidates)
    if best != simple:
        return f"{_g_name(simple)}, the simplest indistinguishable from the best, {_g_name(best)}"
    rivals = int((grid["excess_low"] <= ROUNDING).sum()) - 1
    if rivals > 0:
        others = f"{many(rivals, 'other')} {'is' if rivals == 1 else 'are'}"
        return f"{_g_name(best)}, the best; {others} indistinguishable from it (95 %)"
    has_intervals = len(grid) > 1 and np.isfinite(grid["low"]).any()
    certain = ", distinguishable from all others (95 %)" if has_intervals else ""
    return f"{_g_name(best)}, the best{certain}"


def _refined(row: pd.Series) -> str:
    """Line on a refined g and its difference to the best of the grid, to which nothing else is compared."""
    ends = f", 95 % [{-row['difference_high']:.4f}, {-row['difference_low']:.4f}]"
    certain = ends if np.isfinite(row["difference_low"]) else ""
    refined = f"refined from the best of the grid: {_g_name(str(row.name))}"
    return f"{refined}, smaller by {-row['difference']:.4f}{certain}"


def best_of(candidates: pd.DataFrame) -> str:
    """The candidate of the grid with the smallest error."""
    grid = of_grid(candidates)
    return str(grid["measure"].iloc[int(grid["objective"].to_numpy().argmin())])


def _g_name(candidate: str) -> str:
    """The g of a GAP, or the gains of an nDCG, in words."""
    numbers = [float(x) for x in candidate[candidate.index("=") + 1 : -1].split(",")]
    return f"({g_label(numbers)}){', which is AP' if measure_label(candidate) == 'AP' else ''}"
