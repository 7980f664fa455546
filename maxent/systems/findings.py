"""What comparisons of systems found, in the sentences that terminal, report and notebook show alike."""

from collections.abc import Sequence

import pandas as pd

from maxent.errors import visible
from maxent.results.finding import Finding
from maxent.stats.paired_tests import samples_needed
from maxent.stats.pairs import against
from maxent.systems.compare_judgments import JudgmentComparison
from maxent.systems.comparison import run_means
from maxent.texts import many, measure_label

NAMES = {
    "t": "paired t-test",
    "permutation": "randomisation test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "bootstrap": "paired bootstrap test",
}
LIKE = 5  # runs that a line names


def comparison_finding(
    table: pd.DataFrame,
    *,
    baselines: Sequence[str] = (),
    test: str = "t",
    correction: str | None = "holm",
    alpha: float = 0.05,
    replicates: int = 10_000,
) -> Finding:
    """By each measure, which runs are significantly better than the baselines, or than all others."""
    lines = []
    for measure, rows in table.groupby("measure", sort=False):
        name = measure_label(str(measure))
        lines += [_against(rows, name, baseline) for baseline in baselines] or [_best_of_all(rows, name)]
    family, topics = int(table.groupby("measure").size().max()), int(table["topics"].max())
    corrected = "" if correction is None else f"{correction} correction of "
    rule = f"significant: {NAMES[test]}, p <= {alpha:g}, {corrected}{many(family, 'comparison')} by each measure"
    few = samples_needed(family, topics, test=test, correction=correction, alpha=alpha, replicates=replicates)
    return Finding(lines[0], (*lines[1:], rule), few)


def _against(rows: pd.DataFrame, name: str, baseline: str) -> str:
    own = against(rows, baseline)
    up, down = (int((own["reject"] & (own["difference"] * sign > 0)).sum()) for sign in (1, -1))
    return f"by {name}, {up} of {many(len(own), 'run')} significantly better than {baseline}, {down} worse"


def _best_of_all(rows: pd.DataFrame, name: str) -> str:
    best = str(run_means(rows).iloc[:, 0].idxmax())
    own = against(rows, best)
    like = own.loc[~own["reject"]].sort_values("difference", ascending=False, kind="stable")["run_id"]
    tail = "significantly better than every other"
    if len(like):
        more = ", ..." if len(like) > LIKE else ""
        tail = f"not significantly better than {', '.join(like.head(LIKE))}{more}"
    return f"by {name}, {best} has the highest mean, {tail}"


def failures(
    table: pd.DataFrame,
    *,
    baselines: Sequence[str] = (),
    fail_under: Sequence[tuple[str, float]] = (),
    fail_if_worse: float | None = None,
) -> tuple[str, ...]:
    """What fails: runs with a mean under that of ``fail_under``, or worse than a baseline by ``fail_if_worse``."""
    means = run_means(table)
    found = [
        f"run {run!r}: {measure} is {mean:.6g}, under {least:g}"
        for measure, least in fail_under
        for run, mean in means[measure].items()
        if run not in baselines and not mean >= least
    ]
    if fail_if_worse is not None:
        columns = ["run_id", "measure", "mean", "mean_baseline", "baseline", "p_value_corrected"]
        worse = table[table["reject"] & (table["difference"] < -fail_if_worse) & ~table["run_id"].isin(baselines)]
        found += [
            f"run {run!r}: {measure} is {mean:.6g}, significantly worse than the {other:.6g} of {baseline!r} "
            f"(corrected p-value {p:.2g})"
            for run, measure, mean, other, baseline, p in worse[columns].itertuples(index=False)
        ]
    return tuple(found)


def judgments_introduction(
    names: Sequence[str], tables: Sequence[pd.DataFrame], topics: int, highest: Sequence[int]
) -> str:
    """Which two sets of judgments are compared, their highest grades, and how many topics both judge."""
    lines = [
        f"{letter}: {visible(name)}, {many(table['query_id'].nunique(), 'topic')}, grades 0 to {grade}"
        for letter, name, table, grade in zip("AB", names, tables, highest, strict=True)
    ]
    lines.append(f"topics that both judge, and that count: {topics}")
    if highest[0] != highest[1]:
        lines.append(
            "the highest grades differ: if these are two scales, take the coarser one as A and bring B to it"
        )
        lines.append("with --grades; until then agreement and kappa compare unlike grades")
    return "\n".join((*lines, ""))


def judgments_finding(found: JudgmentComparison) -> Finding:
    """How well two sets of judgments agree, in grades and in how they rank systems."""
    values = found.agreement.set_index("statistic")
    share, kappa = values.loc["agreement"], values.loc["quadratic_kappa"]
    lines = []
    if pd.notna(kappa["value"]):
        ends = f", 95 % [{kappa['low']:.4f}, {kappa['high']:.4f}]" if pd.notna(kappa["low"]) else ""
        lines.append(f"quadratically weighted kappa {kappa['value']:.4f}{ends}")
    if found.rankings["tau"].notna().any():
        worst = found.rankings.sort_values("tau", kind="stable").iloc[0]
        name = measure_label(worst["measure"])
        lines.append(f"rankings of the runs: least alike by {name}, tau {worst['tau']:.4f}")
    return Finding(f"the same grade for {share['value']:.1%} of the documents that both judge", tuple(lines))


def _names(rows: pd.Series) -> str:
    return ", ".join(measure_label(str(name)) for name in rows.index)
