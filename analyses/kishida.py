"""Kishida's tables 1, 3, 4 and 5 beside the printed numbers: newly found documents, and 136 patterns of five ranks.

Tables 3 to 5: three documents of grades 3, 2 and 1, and every list of five that may contain them.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from common import options, started, write
from matplotlib.figure import Figure

import maxent as me

MEASURES = {"mSR": me.mSR(), "nDCG": me.mnDCG(b=2), "Q": me.Q(), "gAP": me.gAP(), "AP": me.AP()}
RELEVANT = (1, 1, 1)
RANK = 101  # of the newly found document of table 1
PATTERNS = {"a": "32000", "b": "00123", "c": "03210", "d": "30000", "e": "00003"}
PRINTED = {
    "1": """
            0.1      0.3       0.5
        10  0.00081  -0.01737  -0.03555
        50  0.00794  0.00402   0.00010
        100 0.00891  0.00693   0.00495""",
    "3": """
            mSR   nDCG  Q     gAP
        average 0.488 0.443 0.503 0.410
        sd  0.245 0.250 0.240 0.228""",
    "4": """
            mSR   nDCG  Q     gAP
        mSR 1.000
        nDCG 0.969 1.000
        Q   0.885 0.840 1.000
        gAP 0.963 0.940 0.961 1.000
        AP  0.857 0.829 0.928 0.894""",
    "5": """
            mSR   nDCG  Q     gAP
        a   0.923 0.933 0.667 0.733
        b   0.331 0.184 0.513 0.304
        b/a 0.358 0.197 0.770 0.415
        c   0.558 0.610 0.750 0.622
        c/a 0.604 0.654 1.125 0.848
        d   0.692 0.640 0.333 0.400
        d/a 0.750 0.686 0.500 0.545
        e   0.138 0.046 0.121 0.080
        e/d 0.200 0.072 0.364 0.200""",
}


def pattern_values() -> pd.DataFrame:
    """Value of every measure (columns) for each of the 136 patterns, as text (rows)."""
    lists = [x for x in itertools.product(range(4), repeat=5) if all(x.count(i) <= 1 for i in (1, 2, 3))]
    values = {name: measure.evaluate(np.array(lists), RELEVANT) for name, measure in MEASURES.items()}
    return pd.DataFrame(values, index=["".join(map(str, x)) for x in lists])


def newly_found() -> pd.DataFrame:
    """Table 1, eq. 17: change of AP = v (columns) of R documents (rows) when one more is found at rank 101."""
    table = {v: [1 / RANK - float(v) / (R + 1) for R in (10, 50, 100)] for v in ("0.1", "0.3", "0.5")}
    return pd.DataFrame(table, index=["10", "50", "100"])


def possible() -> pd.DataFrame:
    """What eq. 17 can be applied to: all R documents among the first 100, at the last or the first of these ranks.

    Columns R, ap_low, change_high, ap_high, change_low; the changes from :func:`maxent.measures.value_changes`.
    """
    rows = []
    for R in (10, 50, 100):
        ends = np.zeros((2, RANK), dtype=int)
        ends[0, RANK - 1 - R : RANK - 1] = ends[1, :R] = 1
        ap = me.AP().evaluate(ends, (R,))
        change = me.measures.value_changes(me.AP(), ends, (R,), recall_base="updated")[:, RANK - 1, 1]
        rows.append((R, ap[0], change[0], ap[1], change[1]))
    return pd.DataFrame(rows, columns=["R", "ap_low", "change_high", "ap_high", "change_low"])


def compute() -> pd.DataFrame:
    """A row for each printed number: table, row, column, printed (as text), computed, agrees (to its digits)."""
    values = pattern_values()
    single = values.loc[list(PATTERNS.values())].set_axis(list(PATTERNS), axis=0)
    ratios = {f"{x}/{y}": single.loc[x] / single.loc[y] for x, y in ("ba", "ca", "da", "ed")}
    tables = {
        "1": newly_found(),
        "3": pd.DataFrame({"average": values.mean(), "sd": values.std(ddof=1)}).T,
        "4": values.corr(),
        "5": pd.concat([single, pd.DataFrame(ratios).T]),
    }
    rows = []
    for table, text in PRINTED.items():
        header, *lines = (line.split() for line in text.strip().splitlines())
        for row, *numbers in lines:
            for column, printed in zip(header, numbers, strict=False):  # table 4 is a triangle
                computed = float(tables[table][column][row])
                agrees = f"{computed:.{len(printed.partition('.')[2])}f}" == printed
                rows.append((table, row, column, printed, computed, agrees))
    return pd.DataFrame(rows, columns=["table", "row", "column", "printed", "computed", "agrees"])


def strips(values: pd.DataFrame) -> pd.DataFrame:
    """Correlation of Q with the others among patterns with one, two or three relevant documents (rows)."""
    found = values.index.str.count("[123]")
    rows = {k: values[found == k].corr()["Q"].drop(["Q", "AP"]) for k in (1, 2, 3)}
    return pd.DataFrame(rows).T.rename_axis("found").reset_index()


def draw(values: pd.DataFrame) -> Figure:
    """Table 4 as scatter plots of the patterns, those of table 5 by their letters."""
    names = list(values.columns)
    figure = Figure(figsize=(9.5, 9.5), layout="constrained")
    panels = figure.subplots(len(names) - 1, len(names) - 1, sharex="col", sharey="row")
    for (i, y), (j, x) in itertools.product(enumerate(names[1:]), enumerate(names[:-1])):
        ax = panels[i, j]
        if j > i:
            ax.set_visible(False)
            continue
        ax.plot(values[x], values[y], "o", color="#1f5fa8", alpha=0.35, markersize=4, markeredgewidth=0)
        for letter, pattern in PATTERNS.items():
            ax.text(*values.loc[pattern, [x, y]], letter, color="#c0392b", weight="bold", ha="center", va="center")
        ax.set_xticks([0, 0.5, 1])
        ax.set_title(f"r = {values[x].corr(values[y]):.3f}", fontsize=9)
        if i == len(names) - 2:
            ax.set_xlabel(x)
        if j == 0:
            ax.set_ylabel(y)
    legend = "\n".join(f"{letter}  {pattern}" for letter, pattern in PATTERNS.items())
    figure.text(0.97, 0.97, legend, color="#c0392b", ha="right", va="top", family="monospace")
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    with started(parser, argv) as arguments:
        table = compute()
        print(table.to_string(index=False, float_format="%.6f"))
        print(f"\n{table['agrees'].sum()} of {len(table)} numbers agree in every printed digit")
        print("\nTable 1 supposes that all R documents are among the first 100:")
        print(possible().to_string(index=False, float_format="%.5f"))
        print("\nCorrelation of Q among the patterns with as many relevant documents:")
        print(strips(pattern_values()).to_string(index=False, float_format="%.3f"))
        write(arguments.out, "kishida", draw(pattern_values()), {"": table})


if __name__ == "__main__":
    main()
