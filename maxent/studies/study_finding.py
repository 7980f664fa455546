"""Findings of studies and their certainty, in the sentences that terminal, report, figure and notebook share."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from maxent.results.finding import Difference, Finding, Level, reading_lines
from maxent.stats.confidence_set import ENOUGH
from maxent.stats.intervals import ROUNDING
from maxent.studies.options import StudyOptions, is_standard
from maxent.studies.same_lists import no_common_list
from maxent.studies.summary import Compared
from maxent.studies.used import ListCounts
from maxent.texts import g_label, many, measure_label


class Words(NamedTuple):
    """Words of sentences on the choice among candidates of a kind."""

    parameter: str  # what is chosen
    plain: str  # the candidate with all weight on grade 1
    simplest: str  # line that explains which candidate is the simplest


G_WORDS = Words(
    "g",
    "AP",
    "the simplest is AP, or else equal g, or else the g with the fewest decimals; ties go to the smaller error",
)
GAIN_WORDS = Words(
    "gains of nDCG",
    "flat gains",
    "the simplest are flat gains, or else linear ones, or else those with the fewest decimals; "
    "ties go to the smaller error",
)
QUESTIONS = {
    "retrieved": "beside the number of relevant documents found",
    "total": "where all relevant documents are found",
    "at_most": "alone, without the number found",
}
"""What a study with several counts asks, by count."""
RECOMMENDED, BEST, REFINED, NO_CONTENT = "recommended", "best", "refined", "no content"  # roles of candidates
SHOWN = 3  # rivals that a sentence names
NO_SET = f"over fewer than {ENOUGH} topics there is no set that has the best with 95 % confidence"


def study_finding(
    table: pd.DataFrame,
    options: StudyOptions,
    compared: Compared,
    candidates: pd.DataFrame | None = None,
) -> Finding:
    """The best of the measures that a study compares, its differences to others, and the choice of g.

    :func:`joined_finding` adds the line on the reading.
    """
    sizes, over = compared.lists, compared.over
    cautions = (*sizes.cautions, *options.cautions)
    if over is None:
        return Finding(
            f"no measure is the best: {no_common_list(table)}",
            (sizes.text,),
            cautions,
            lists=sizes.lists,
            topics=sizes.topics,
            reading=options.scope,
        )
    # 1. the best measure, and the differences of all others from it
    best, best_set, level = over.best, over.best_set, compared.level
    differences = sorted_differences(over.to(best).drop(best))
    # 2. the sentence
    labels = map(measure_label, compared.names[best].split("; "))
    same = [label for label in labels if label and label != measure_label(best)]
    alike = f" (the same on these lists: {'; '.join(same)})" if same else ""
    certainty = _certainty(best_set, differences, _number_of(compared.names))
    sentence = f"best: {measure_label(best)}{alike}{certainty}{_no_better(level, options.scope)}"
    # 3. the numbers behind it
    error = f"mean RMS error {over.means[best]:.4f}{thresholds_text(compared.weights, options.thresholds)}"
    lines = [f"{error}, on {sizes.text}"]
    if level:
        lines.append(level_text(level))
    lines += _difference_lines(differences, [*_compared_first(best_set, differences), *_usual(best, differences)])
    if compared.constant:
        constant = ", ".join(map(measure_label, compared.constant))
        lines.append(f"not ranked, as the counts alone fix most of their values: {constant}")
    if candidates is not None:
        lines.append(f"recommended g, of {len(candidates)} candidates: {_recommendation(candidates)}")
        if simplest(candidates) != best_of(candidates):
            lines.append(G_WORDS.simplest)
    return Finding(
        sentence,
        tuple(lines),
        cautions,
        best=best,
        recommended=None if candidates is None else simplest(candidates),
        set=best_set,
        null=level,
        differences=differences,
        lists=sizes.lists,
        topics=sizes.topics,
        reading=options.scope,
    )


def sorted_differences(table: pd.DataFrame) -> tuple[Difference, ...]:
    """The rows of a table of differences with their intervals, the smallest first."""
    rows = table.sort_values("difference", kind="stable")[["difference", "difference_low", "difference_high"]]
    return tuple(Difference(str(name), *map(float, row)) for name, *row in rows.itertuples())


def _number_of(names: Iterable[str]) -> str:
    """Number of measures, and of those that are GAP if these are several."""
    listed = list(names)
    graded = sum(name.startswith("GAP(") for name in listed)
    return many(len(listed), "measure") + (f", {graded} of them GAP" if graded > 1 else "")


def _certainty(best_set: Sequence[str] | None, differences: Sequence[Difference], number: str) -> str:
    """Clause on the measures that may be the best; ``number`` has the number of all measures in words.

    The clause names the best measure and up to ``SHOWN`` others.
    """
    if not differences:
        return ", the only measure"
    if best_set is None:
        return f", the smallest mean error (of {number}); {NO_SET}"
    labels = list(dict.fromkeys(map(measure_label, best_set)))  # two measures may have the same label
    if len(labels) == 1:
        return f", with 95 % confidence (of {number})"
    has_all = len(best_set) == len(differences) + 1
    if has_all and len(labels) > 2:
        return f", the smallest mean error; any may be the best (95 %; of {number})"
    unnamed = len(labels) - (1 + SHOWN)
    if unnamed > 1:  # a single one is named, too: its name is as short as "1 other"
        labels = [*labels[: 1 + SHOWN], many(unnamed, "other")]
    *first_labels, last_label = labels
    return f"; with 95 % confidence the best is among {', '.join(first_labels)} and {last_label} (of {number})"


def _no_better(level: Level | None, reading: Mapping[str, object]) -> str:
    """Clause that the best measure is not ahead of one without content; empty if it is, or if none was solved."""
    if level is None or level.is_passed:
        return ""
    if level.low > ROUNDING:  # the best measure has the larger error, with certainty
        predicate = "does better"
    elif level.difference < -ROUNDING:
        predicate = "may do as well"
    else:
        predicate = "does as well"
    hint = "" if not reading or is_standard(reading) else "; see the standard reading"
    return f". In this reading a measure without content, the broken stick, {predicate}{hint}"


def level_text(level: Level) -> str:
    """Line on the error of the broken stick, and the difference of the best from it."""
    gains = " with linear gains" if "linear" in level.name else ""
    stick = f"broken stick{gains}, a measure without content: mean RMS error {level.rms:.4f}"
    return f"{stick}; {_ahead(level, 'the best')}"


def _ahead(level: Level, subject: str) -> str:
    """Clause on the difference of a measure from the broken stick."""
    is_ahead = level.difference < 0
    low, high = (-level.high, -level.low) if is_ahead else (level.low, level.high)  # of the size of the difference
    ends = f", 95 % [{low:.4f}, {high:.4f}]" if np.isfinite(low) else ", without an interval"
    return f"{subject} is {'ahead of' if is_ahead else 'behind'} it by {abs(level.difference):.4f}{ends}"


def joined_finding(findings: Mapping[str, Finding], ties: str = "") -> Finding:
    """The findings of a study by count, one or several, as one finding, with a line that explains ties if any."""
    tie_lines = (ties,) if ties else ()
    if len(findings) == 1:
        (single,) = findings.values()
        return replace(single, support=(*single.support, *reading_lines(single.reading), *tie_lines))
    *_, last = findings.values()
    reading = {**(last.reading or {}), "count": " and ".join(findings)}  # the findings differ in the count only
    lines = [
        line
        for count, finding in findings.items()
        for line in (f"{QUESTIONS[count]}: {finding.support[0]}", *finding.support[1:])
    ]
    return Finding(
        ".\n".join(f"{QUESTIONS[count]}, {finding.sentence}" for count, finding in findings.items()),
        (*lines, *reading_lines(reading), *tie_lines),
        tuple(dict.fromkeys(caution for finding in findings.values() for caution in finding.cautions)),
        reading=reading,
        parts=findings,
    )


def choice_finding(
    candidates: pd.DataFrame,
    excess: pd.DataFrame,
    sizes: ListCounts,
    reading: Mapping[str, object],
    cautions: tuple[str, ...],
    weights: Mapping[int, float] | None = None,
    levels: Sequence[Level] = (),
) -> Finding:
    """The recommended g and its differences, among candidates as in ``GChoice.table``, and a refined g if any.

    ``excess`` has the differences to the best candidate of the grid; ``levels`` has its difference from the broken
    stick, and that of the recommended one.
    """
    # 1. the best and the recommended candidate, and the differences of the grid from the best
    best, recommended = best_of(candidates), simplest(candidates)
    grid, refined = of_grid(candidates), candidates[candidates["role"] == REFINED]
    differences = sorted_differences(excess.loc[grid["measure"]].drop(index=best))
    best_level = levels[0] if levels else None
    # 2. the sentence
    words = GAIN_WORDS if best.startswith("nDCG") else G_WORDS
    clause = _no_better(best_level, reading)
    sentence = f"recommended {words.parameter}: {_recommendation(candidates)}{clause}"
    # 3. the numbers behind it: errors of the best, and differences of candidates that readers ask about
    lines = [f"{_best_error(grid, weights)} on {sizes.text}"]
    also = [_ahead(level, "the recommended one") for level in levels[1:] if recommended != best]
    if best_level:
        lines.append("; ".join((level_text(best_level), *also)))
    rivals = set(grid["measure"][may_be_best(grid)])
    others = [difference.name for difference in differences]
    first_outside = [name for name in others if name not in rivals][:1]
    plain = grid["measure"][grid["g_1"] == 1].tolist()
    reasons = dict.fromkeys(plain, words.plain) | {recommended: "recommended"}
    lines += _difference_lines(differences, [recommended, *others[:1], *first_outside, *plain], reasons)
    lines += [_refined(excess.loc[name]) for name in refined["measure"]]
    if recommended != best:
        lines.append(words.simplest)
    return Finding(
        sentence,
        (*lines, *reading_lines(reading)),
        (*sizes.cautions, *cautions),
        best=best,
        recommended=recommended,
        set=best_set_of(grid),
        null=best_level,
        differences=differences,
        lists=sizes.lists,
        topics=sizes.topics,
        reading=reading,
    )


def _best_error(grid: pd.DataFrame, weights: Mapping[int, float] | None) -> str:
    """The smallest error of a grid, in words, with its interval if it has one; ``weights`` are of thresholds."""
    row = grid.set_index("measure").loc[best_of(grid)]
    thresholds = [int(name.removeprefix("rms_t")) for name in map(str, grid) if name.startswith("rms_t")]
    error = f"mean RMS error of the best {row['objective']:.4f}"
    if np.isfinite(row["low"]):
        error += f", 95 % [{row['low']:.4f}, {row['high']:.4f}]"
    return f"{error},{thresholds_text(weights, thresholds)}"


def of_grid(candidates: pd.DataFrame) -> pd.DataFrame:
    """The candidates that decide what is recommended: all but a refined one, which was sought on the same lists."""
    return candidates[candidates["role"] != REFINED] if "role" in candidates else candidates


def best_set_of(grid: pd.DataFrame) -> tuple[str, ...] | None:
    """The candidates among which the best is with 95 % confidence, by increasing error; None over few topics."""
    if grid["may_be_best"].isna().any():
        return None
    return tuple(grid[grid["may_be_best"].astype(bool)].sort_values("objective", kind="stable")["measure"])


def may_be_best(grid: pd.DataFrame) -> pd.Series:
    """Which candidates may be the best: those of the set or, over few topics, by unadjusted intervals."""
    lows = dict(zip(grid["measure"], grid["excess_low"], strict=True))
    return grid["measure"].isin({best_of(grid), *_rivals(best_set_of(grid), lows)})


def _rivals(best_set: Sequence[str] | None, lows: Mapping[str, float]) -> list[str]:
    """Those that may be the best: of the set or, over few topics, by the lower ends of unadjusted intervals.

    ``lows`` has the lower end of each difference from the best.
    """
    if best_set is None:
        return [name for name, low in lows.items() if low <= ROUNDING]
    return [name for name in lows if name in best_set]


def simplest(candidates: pd.DataFrame) -> str:
    """The recommended candidate, the simplest that may be the best: AP, equal g_k, fewest decimals."""
    grid = of_grid(candidates)
    rows = grid[may_be_best(grid)].set_index("measure")
    g_by_name = {str(name): tuple(g) for name, g in rows.filter(regex="^g_").T.items()}

    def effort(name: str) -> tuple[bool, bool, int, float]:
        """What decides, the first difference alone: whether it is not AP, whether g_k differ, decimals, error."""
        g = g_by_name[name]
        decimals = max(len(np.format_float_positional(share, trim="-").partition(".")[2]) for share in g)
        return g[0] != 1, len(set(g)) > 1, decimals, float(rows["objective"][name])

    return min(g_by_name, key=effort)


def thresholds_text(weights: Mapping[int, float] | None, thresholds: Iterable[int]) -> str:
    """Thresholds over which an error is averaged, in words; empty for a single one."""
    if weights is not None:
        return f" over thresholds with weights {', '.join(f'{t}: {w:g}' for t, w in sorted(weights.items()))}"
    *listed, last = map(str, thresholds)
    return f" over thresholds {', '.join(listed)} and {last}" if listed else ""


def _usual(best: str, differences: Sequence[Difference]) -> Iterator[str]:
    """Best variants of AP and of nDCG, which readers expect in a comparison."""
    names = [best, *(difference.name for difference in differences)]  # by increasing error
    for family in ("AP", "nDCG"):
        variants = [name for name in names if re.split("[(@]", measure_label(name))[0] == family]
        yield from variants[:1]


def _compared_first(best_set: Sequence[str] | None, differences: Sequence[Difference]) -> list[str]:
    """Up to ``SHOWN`` others that may be the best, then the first that may not."""
    rivals = _rivals(best_set, {difference.name: difference.low for difference in differences})
    outside = [difference.name for difference in differences if difference.name not in rivals]
    return [*rivals[:SHOWN], *outside[:1]]


def _difference_lines(
    differences: Sequence[Difference], names: Iterable[str], reasons: Mapping[str, str] | None = None
) -> Iterator[str]:
    """A line for each named measure except the best: its rank, and its error above the smallest.

    ``reasons`` gives, for some measures, why they are named.
    """
    ranked = {difference.name: (rank, difference) for rank, difference in enumerate(differences, 2)}
    for name in dict.fromkeys(names):
        if name not in ranked:  # the best
            continue
        rank, difference = ranked[name]
        label, reason = measure_label(name), (reasons or {}).get(name, "")
        why = f"{reason}, " if reason and reason not in label else ""  # "AP (AP, rank 2)" says it twice
        line = f"{label} ({why}rank {rank}): larger by {difference.difference:.4f}"
        if np.isfinite(difference.low):
            line += f", unadjusted 95 % [{difference.low:.4f}, {difference.high:.4f}]"
        yield line


def _recommendation(candidates: pd.DataFrame) -> str:
    """The recommended g, and the best of the grid, in words."""
    best, recommended, grid = best_of(candidates), simplest(candidates), of_grid(candidates)
    has_set = best_set_of(grid) is not None
    rivals = int(may_be_best(grid).sum())  # the best among them
    rule = "that may be the best (95 %)" if has_set else "indistinguishable from the best by unadjusted intervals"
    if recommended != best:
        number = f"all {rivals}" if rivals == len(grid) else f"{rivals}"
        smallest = f"the smallest error has {_g_name(best)}"
        return f"{_g_name(recommended)}, the simplest of {number} {rule}; {smallest}"
    if rivals > 1:
        return f"{_g_name(best)}, the smallest error and the simplest of {rivals} {rule}"
    if not has_set:
        return f"{_g_name(best)}, the smallest error"
    return _g_name(best) if len(grid) == 1 else f"{_g_name(best)}, the best with 95 % confidence"


def _refined(row: pd.Series) -> str:
    """Line on a refined g and its difference to the best of the grid, to which nothing else is compared."""
    line = f"refined from the best of the grid: {_g_name(str(row.name))}, smaller by {-row['difference']:.4f}"
    if np.isfinite(row["difference_low"]):
        line += f", 95 % [{-row['difference_high']:.4f}, {-row['difference_low']:.4f}]"
    return line


def best_of(candidates: pd.DataFrame) -> str:
    """The candidate of the grid with the smallest error."""
    grid = of_grid(candidates)
    return str(grid["measure"].iloc[int(grid["objective"].to_numpy().argmin())])


def _g_name(candidate: str) -> str:
    """The g of a GAP, or the gains of an nDCG, in words."""
    numbers = [float(x) for x in candidate[candidate.index("=") + 1 : -1].split(",")]
    return f"({g_label(numbers)}){', which is AP' if measure_label(candidate) == 'AP' else ''}"
