"""What do averages over topics say about the system behind them?  Runs of real systems against their own averages.

From the averages of a run and the judgments, the most random system with them (whole lists, any number of
documents, 1/n beforehand): error of its mean precision-recall curve at eleven levels of recall, errors of its other
averages, and how many are within their 90 % bands.  Beside it what other runs of the collection say, which know the
same topics: their mean, the three nearest, and ridge regression; runs whose names begin like that of the run are
left out.  Then errors are planted in printed rows, and the rows that no lists can have are counted.
"""

import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from common import ALL, by_collection, options, read, spaced, started, write
from matplotlib.figure import Figure
from tqdm import tqdm

import maxent as me
from maxent.lists.curves import interpolated
from maxent.systems.reported import SOLVED
from maxent.types import FloatArray

KNOWN = ("AP", "AP & P@10", "AP & R@1000", "AP & P@10 & R@1000")
TARGETS = (
    "AP", "P@5", "P@10", "P@20", "R@100", "R@1000", "Rprec", "RR", "nDCG@10", "nDCG", "RBP(p=0.8)", "ERR",
    "AP(rel=2)",
)  # fmt: skip
PLANTED = ("AP", "P@10", "R@1000")
DIGITS = 3
NEAREST, RIDGE = 3, 1e-2  # runs; penalty, for standardised averages


def compute(
    data: Path, *, collections: Sequence[str] = ALL, runs: int | None = None, known: Sequence[str] = KNOWN
) -> dict[str, pd.DataFrame]:
    """Tables: ``""`` errors of every run, known averages, method and target; ``_planted`` rows with errors."""
    errors, planted = {}, {}
    for name in collections:
        files, qrels = read(data / name)
        collection = me.collect(files, qrels, progress=False)
        chosen = list(collection.runs) if runs is None else spaced(files, runs)
        averages, curves = observed(collection)
        rows: list[pd.DataFrame] = []
        for run in tqdm(chosen, desc=name, unit="run"):
            for texts in known:
                rows += of_run(collection, run, texts, averages, curves)
        errors[name] = pd.concat(rows, ignore_index=True)
        planted[name] = pd.concat([with_errors(qrels, run, averages.T[run]) for run in chosen], ignore_index=True)
    return {"": by_collection(errors), "_planted": by_collection(planted)}


def observed(collection: me.Collection) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Averages, and mean interpolated precision at eleven levels of recall, of every run."""
    measures = [me.parse_measure(text) for text in TARGETS]
    lists = list(zip(collection.grades, collection.relevant, strict=True))
    values = [[measure.values(grades, relevant) for measure in measures] for grades, relevant in lists]
    curves = [interpolated(grades > 0, relevant.sum()) for grades, relevant in lists]
    index = pd.Index(collection.runs, name="run_id")
    averages = pd.DataFrame(np.mean(values, axis=0).T, index=index, columns=list(TARGETS))
    return averages, pd.DataFrame(np.mean(curves, axis=0), index=index)


def of_run(
    collection: me.Collection, run: str, texts: str, averages: pd.DataFrame, curves: pd.DataFrame
) -> list[pd.DataFrame]:
    """Errors of everything that is not known of a run, by each method."""
    known = texts.split(" & ")
    targets = [target for target in TARGETS if target not in known]
    others = [other for other in collection.runs if team(other) != team(run)]
    if len(others) < NEAREST:  # names say nothing of teams
        others = [other for other in collection.runs if other != run]
    x, y = averages[known], pd.concat((curves, averages[targets]), axis=1)
    actual = y.loc[run].to_numpy(dtype=float)
    found = {
        "mean of other runs": y.loc[others].mean().to_numpy(),
        "nearest runs": nearest(x.loc[others], y.loc[others], x.T[run]),
        "ridge regression": ridge(x.loc[others], y.loc[others], x.T[run]),
    }
    bands = {}
    for reference in ("log-uniform", None) if "R@1000" in known else ("log-uniform",):
        method = "maximum entropy, 1/n" if reference else "maximum entropy, uniform"
        row = me.Averages(collection, dict(zip(known, x.T[run], strict=True)), reference=reference)
        system = me.solve(row)
        if system.status in SOLVED:
            predicted = bands[method] = system.predict(targets)
            found[method] = np.concatenate((system.levels()["precision"], predicted["expected"]))
    rows = []
    for method, own in found.items():
        off = own - actual
        table = pd.DataFrame({"target": ["curve", *targets], "error": [rms(off[:11]), *off[11:]]})
        if method in bands:
            low, high = bands[method][["low", "high"]].to_numpy().T
            table["within"] = [np.nan, *((low <= actual[11:]) & (actual[11:] <= high)).astype(float)]
        rows.append(table.assign(run_id=run, known=texts, method=method))
    return rows


def team(run: str) -> str:
    """What runs of one team share: the beginning of their names, up to a digit or a separator."""
    return re.split(r"[._\-\d]", run.lower().removeprefix("input."))[0]


def rms(off: FloatArray) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(off**2)))


def nearest(x: pd.DataFrame, y: pd.DataFrame, at: pd.Series) -> FloatArray:
    """Mean of the runs whose known averages are nearest, in standard deviations."""
    distance = (((x - at) / x.std()) ** 2).sum(axis=1)
    return y.loc[distance.nsmallest(NEAREST).index].mean().to_numpy()


def ridge(x: pd.DataFrame, y: pd.DataFrame, at: pd.Series) -> FloatArray:
    """Ridge regression on standardised known averages."""
    z, own = ((x - x.mean()) / x.std()).to_numpy(), ((at - x.mean()) / x.std()).to_numpy()
    centred = (y - y.mean()).to_numpy()
    slopes = np.linalg.solve(z.T @ z + RIDGE * len(z) * np.eye(z.shape[1]), z.T @ centred)
    return np.asarray(y.mean().to_numpy() + own @ slopes)


def with_errors(qrels: pd.DataFrame, run: str, averages: pd.Series) -> pd.DataFrame:
    """A printed row of a run and the same with errors: whether lists can have them together."""
    true = {name: f"{averages[name]:.{DIGITS}f}" for name in PLANTED}
    rows = {("none", ""): true}
    for name in PLANTED:
        rows["two digits exchanged", name] = true | {name: exchanged(true[name])}
    for one, two in combinations(PLANTED, 2):
        rows["columns swapped", f"{one}, {two}"] = true | {one: true[two], two: true[one]}
    rows["another cutoff", "P@20 as P@10"] = true | {"P@10": f"{averages['P@20']:.{DIGITS}f}"}
    rows["another cutoff", "R@100 as R@1000"] = true | {"R@1000": f"{averages['R@100']:.{DIGITS}f}"}
    found = []
    for (error, where), row in rows.items():
        if error == "none" or row != true:
            status = me.solve(me.Averages(qrels, row)).status
            size = max(abs(float(row[name]) - float(true[name])) for name in PLANTED)
            found.append((run, error, where, size, status not in SOLVED))
    return pd.DataFrame(found, columns=["run_id", "error", "where", "size", "found"])


def exchanged(text: str) -> str:
    """The first two digits after the point that differ, exchanged."""
    whole, _, digits = text.partition(".")
    for k in range(len(digits) - 1):
        if digits[k] != digits[k + 1]:
            return f"{whole}.{digits[:k]}{digits[k + 1]}{digits[k]}{digits[k + 2 :]}"
    return text


def summary(errors: pd.DataFrame) -> pd.DataFrame:
    """Mean RMS of the curve, RMS of other averages, and share within bands: by collection, known and method."""
    curve = errors["target"] == "curve"
    keys = ["collection", "known", "method"]
    found = errors[curve].groupby(keys, sort=False)["error"].agg(["mean", "size"])
    found = found.set_axis(["curve", "runs"], axis=1)
    others = errors[~curve].groupby(keys, sort=False)
    return found.assign(
        averages=others["error"].agg(lambda own: rms(own.to_numpy())), within=others["within"].mean()
    )


def draw(errors: pd.DataFrame) -> Figure:
    """Mean RMS of the curve by what is known, a panel for each collection."""
    table = summary(errors).reset_index()
    names = list(table["collection"].unique())
    figure = Figure(figsize=(4.2 * len(names), 3.6), layout="constrained")
    for ax, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for method, own in table[table["collection"] == name].groupby("method", sort=False):
            ax.plot(own["known"], own["curve"], marker="o", label=method)
        ax.set(title=name, ylabel="RMS at eleven levels of recall", ylim=(0, None))
        ax.tick_params(axis="x", rotation=25)
    ax.legend(fontsize=8)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Compute, write, draw."""
    parser = options(__doc__, collections=ALL, studies=False)
    parser.add_argument("--runs", type=int, help="so many runs of each collection (default: all)")
    with started(parser, argv) as arguments:
        tables = compute(arguments.data, collections=arguments.collections, runs=arguments.runs)
        write(arguments.out, "averages", draw(tables[""]), tables)
        print(summary(tables[""]).round(4).to_string())
        planted = (
            tables["_planted"].groupby(["collection", "error", "where"], sort=False)["found"].agg(["sum", "size"])
        )
        print(planted.to_string())


if __name__ == "__main__":
    main()
