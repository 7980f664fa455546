"""Tables 1 and 2 of the muAP paper: AP, NDCG and NDCNG of eight rated items, beside the printed numbers."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from common import options, started, write
from matplotlib.figure import Figure

import maxent as me

RATINGS = np.array([1, 0, 3, 3, 2, 0, 1, 4])  # of the items A..H, on the scale 0..4
BASE = np.log2(10)  # the paper's discount is log10(n + 1), the library's log2(n + 1)
PRINTED_1 = {
    "t=5": "0.000",
    "t=4": "0.125",
    "t=3": "0.403",
    "t=2": "0.483",
    "t=1": "0.780",
    "t=0": "1.000",
    "mean": "0.465",
    "mean of 5>t>0": "0.448",
}
PRINTED_2 = {
    ("gain", "dcg"): "3.32 3.32 14.95 24.96 28.82 28.82 29.93 45.65",
    ("gain", "dcg_opt"): "49.83 64.50 76.13 80.42 81.70 82.89 82.89 82.89",
    ("gain", "ndcg"): "0.07 0.05 0.20 0.31 0.35 0.35 0.36 0.55 0.28",
    ("double gain", "dcg"): "9.97 9.97 114 204 224 224 227 494",
    ("double gain", "dcg_opt"): "847 979 1083 1105 1109 1112 1112 1112",
    ("double gain", "ndcg"): "0.01 0.01 0.11 0.19 0.20 0.20 0.20 0.44 0.17",
    ("normalised gain", "dcg"): "0.63 0.63 1.76 2.74 3.27 3.27 3.48 4.53",
    ("normalised gain", "dcg_opt"): "3.32 4.75 5.88 6.48 6.72 6.94 6.94 6.94",
    ("normalised gain", "ndcg"): "0.19 0.13 0.30 0.42 0.49 0.47 0.50 0.65 0.39",
}
COLOURS = dict(zip(("gain", "double gain", "normalised gain"), ("#1f5fa8", "#c0392b", "#2e8b57"), strict=True))


def compute() -> pd.DataFrame:
    """Columns table, example, row, column, printed (text), value, agrees (to the printed digits)."""
    rows = [("1", "", name, "AP", PRINTED_1[name], value) for name, value in table_1().items()]
    for (example, row), values in table_2():
        columns = [*"ABCDEFGH", "mean"][: len(values)]
        printed = PRINTED_2[example, row].split()
        rows += [("2", example, row, *cell) for cell in zip(columns, printed, values, strict=True)]
    table = pd.DataFrame(rows, columns=["table", "example", "row", "column", "printed", "value"])
    digits = [_as_printed(value, text) for value, text in zip(table["value"], table["printed"], strict=True)]
    return table.assign(agrees=table["printed"] == digits)


def _as_printed(value: float, printed: str) -> str:
    """As many decimals as the paper prints, rounded; its whole numbers are cut off (494.57 is printed 494)."""
    decimals = len(printed.partition(".")[2])
    return f"{value:.{decimals}f}" if decimals else str(int(value))


def table_1() -> dict[str, float]:
    """AP at every threshold, and its means."""
    # threshold t is grade t + 1 here, so that t = 0 has a grade, and t = 5 one without documents
    relevant = np.bincount(RATINGS, minlength=6)
    found = {f"t={t}": float(me.AP(rel=t + 1).evaluate(RATINGS + 1, relevant)) for t in range(5, -1, -1)}
    mu = float(me.muAP().evaluate(RATINGS, relevant[1:5]))
    return {**found, "mean": float(np.mean(list(found.values()))), "mean of 5>t>0": mu}


def table_2() -> Iterator[tuple[tuple[str, str], list[float]]]:
    """DCG, that of the ideal list and their ratio at the ranks 1..8, for three gains of the ratings 1..4."""
    relevant, ratings = np.bincount(RATINGS)[1:], np.arange(1, 5)
    for example, gain in zip(COLOURS, (ratings, 2 * ratings, ratings / 4), strict=True):
        table = tuple(np.exp2(gain) - 1)
        lists = np.stack([RATINGS, np.sort(RATINGS)[::-1]])
        dcg = BASE * np.array([me.DCG(gain=table, cutoff=k).evaluate(lists, relevant) for k in range(1, 9)])
        normalised = example == "normalised gain"
        of = [me.NDCNG(cutoff=k) if normalised else me.nDCG(gain=table, cutoff=k) for k in range(1, 9)]
        ndcg = [float(m.evaluate(RATINGS, relevant)) for m in of]
        yield (example, "dcg"), list(dcg[:, 0])
        yield (example, "dcg_opt"), list(dcg[:, 1])
        yield (example, "ndcg"), [*ndcg, float(np.mean(ndcg))]


def draw(table: pd.DataFrame) -> Figure:
    """AP by threshold and NDCG by rank: ours as lines, the printed numbers as circles."""
    table = table.assign(printed=table["printed"].astype(float))
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    first = table[(table["table"] == "1") & table["row"].str.startswith("t=")]
    thresholds = first["row"].str[2:].astype(int)
    left.plot(thresholds, first["value"], color="#1f5fa8", label="AP")
    left.plot(thresholds, first["printed"], "o", color="#1f5fa8", fillstyle="none", label="printed")
    mu = float(table.loc[table["row"] == "mean of 5>t>0", "value"].iloc[0])
    left.axhline(mu, color="black", linestyle="--", linewidth=1, label=f"muAP, their mean over 1..4: {mu:.3f}")
    left.set(xlabel="threshold t", ylabel="AP", title="Table 1")
    second = table[(table["row"] == "ndcg") & (table["column"] != "mean")]
    for example, rows in second.groupby("example", sort=False):
        colour = COLOURS[str(example)]
        right.plot(range(1, 9), rows["value"], color=colour, label=str(example))
        right.plot(range(1, 9), rows["printed"], "o", color=colour, fillstyle="none")
    right.set(xlabel="rank n", ylabel="NDCG@n, NDCNG@n", title="Table 2 (circles: printed)", ylim=(0, None))
    for ax in (left, right):
        ax.legend(fontsize=9)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    with started(parser, argv) as arguments:
        table = compute()
        print(table.to_string(index=False, float_format="%.4f"))
        print(f"{table['agrees'].sum()} of {len(table)} numbers agree to the printed digits")
        write(arguments.out, "muap_tables", draw(table), {"": table})


if __name__ == "__main__":
    main()
