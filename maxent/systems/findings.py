"""What comparisons of systems found, in the sentences that terminal, report and notebook show alike."""

from collections.abc import Sequence

import pandas as pd

from maxent.errors import visible
from maxent.results.finding import Finding
from maxent.systems.compare_judgments import JudgmentComparison
from maxent.texts import many, measure_label


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
