"""What do averages over topics say about the system behind them?  Runs of real systems against their own averages.

From the averages of a run and the judgments, the most random system with them (whole lists, any number of
documents, 1/n beforehand): error of its mean precision-recall curve at eleven levels of recall, errors of its other
averages, and how many are within their 90 % bands; the same with all lists alike beforehand, and what other runs
say.  Then errors are planted in printed rows, and the rows that no lists can have are counted.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from common import ALL, by_collection, given, options, read, started, write
from matplotlib.figure import Figure
from tqdm import tqdm

import maxent as me
from maxent.studies.checkpoint import Checkpoint
from maxent.types import FloatArray

KNOWN = ("AP", "AP & P@10", "AP & P@10 & R@1000")
TARGETS = (
    "P@5", "P@20", "P@100", "R@100", "Rprec", "RR", "nDCG", "nDCG@20", "RBP(p=0.8)", "ERR", "AP(rel=2)",
    "Rprec(rel=2)",
)  # fmt: skip
PLANTED = ("AP", "P@10", "R@1000")
WRONG = ("P@20", "R@100")  # printed in their place
DIGITS = 3


def compute(
    data: Path,
    *,
    collections: Sequence[str] = ALL,
    every: int = 1,
    known: Sequence[str] = KNOWN,
    targets: Sequence[str] = TARGETS,
    checkpoint: Path | None = None,
) -> dict[str, pd.DataFrame]:
    """Tables: ``""`` errors of every run, known averages, method and target; ``_planted`` rows with errors."""
    errors, planted = {}, {}
    for name in collections:
        files, qrels = read(data / name)
        collection = me.collect(files, qrels, progress=False)
        chosen = collection.runs[::every]
        predict, plant = partial(predicted, collection, known, targets), partial(with_errors, collection)
        errors[name] = each_run(chosen, predict, checkpoint, f"{name} {known} {targets}")
        planted[name] = each_run(chosen, plant, checkpoint, f"{name} planted")
    return {"": by_collection(errors), "_planted": by_collection(planted)}


def each_run(
    runs: Sequence[str], work: Callable[[str], pd.DataFrame], checkpoint: Path | None, what: str
) -> pd.DataFrame:
    """Tables of runs below each other; those in the checkpoint are not made again."""
    with Checkpoint(checkpoint, key=hashlib.sha256(what.encode()).hexdigest()) as kept:
        tables = {run: pd.DataFrame(dict(table)) for run, table in kept.read().items()}
        for run in tqdm([run for run in runs if run not in tables], desc=what, delay=2, disable=None):
            tables[run] = work(run)
            kept.add(run, {str(column): np.array(own.tolist()) for column, own in tables[run].items()})
    return pd.concat([tables[run] for run in runs], ignore_index=True)


def predicted(
    collection: me.data.Collection, known: Sequence[str], targets: Sequence[str], run: str
) -> pd.DataFrame:
    """Errors of a run with both references, and those of other runs once."""
    both = {
        label: me.studies.predict_averages(
            collection, measures=known, targets=targets, only=[run], reference=reference, progress=False
        )
        for label, reference in (("1/n", "log-uniform"), ("uniform", None))
    }
    table = pd.concat(both, names=["reference"]).reset_index("reference")
    own = table["method"] == "maximum entropy"
    table["method"] = table["method"].where(~own, "maximum entropy, " + table["reference"])
    return table[own | (table["reference"] == "1/n")].drop(columns="reference")


def rms(off: FloatArray) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(off**2)))


def with_errors(collection: me.data.Collection, run: str) -> pd.DataFrame:
    """A printed row of a run and the same with errors: whether lists can have them together."""
    names = (*PLANTED, *WRONG)
    grades = collection.grades[:, collection.runs.index(run)]
    topics = list(zip(grades, collection.relevant, strict=True))
    averages = {name: np.mean([me.parse_measure(name).values(*topic) for topic in topics]) for name in names}
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
            status = me.lists.solve_averages(me.Averages(row, collection.relevant)).status
            size = max(abs(float(row[name]) - float(true[name])) for name in PLANTED)
            found.append((run, error, where, size, status == "infeasible"))
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
    keys = ["collection", "measure", "method"]
    found = errors[curve].groupby(keys, sort=False)["error"].agg(["mean", "count"])
    found = found.set_axis(["curve", "solved"], axis=1)
    within = errors["value"].between(errors["low"], errors["high"]).where(errors["low"].notna()).astype(float)
    others = errors.assign(within=within)[~curve].groupby(keys, sort=False)
    return found.assign(
        averages=others["error"].agg(lambda own: rms(own.to_numpy())), within=others["within"].mean()
    )


def coverage(errors: pd.DataFrame) -> pd.DataFrame:
    """Runs with an average within its band, and all, by collection, known averages and target (1/n)."""
    own = errors[(errors["method"] == "maximum entropy, 1/n") & errors["low"].notna()]
    within = own.assign(within=own["value"].between(own["low"], own["high"]))
    return within.groupby(["collection", "measure", "target"], sort=False)["within"].agg(["sum", "size"])


def draw(errors: pd.DataFrame) -> Figure:
    """Mean RMS of the curve by what is known, a panel for each collection."""
    table = summary(errors).reset_index()
    names = list(table["collection"].unique())
    figure = Figure(figsize=(4.2 * len(names), 3.6), layout="constrained")
    for ax, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for method, own in table[table["collection"] == name].groupby("method", sort=False):
            ax.plot(own["measure"], own["curve"], marker="o", label=method)
        ax.set(title=name, ylabel="RMS at eleven levels of recall", ylim=(0, None))
        ax.tick_params(axis="x", rotation=25)
    ax.legend(fontsize=8)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Compute, write, draw."""
    parser = options(__doc__, collections=ALL, studies=False)
    parser.add_argument("--every", type=int, default=1, help="every so many runs, by name (default: all)")
    parser.add_argument("--known", nargs="+", default=list(KNOWN), metavar="M", help='e.g. "AP & P@10"')
    parser.add_argument("--targets", nargs="+", default=list(TARGETS), metavar="M", help="averages to predict")
    parser.add_argument("--checkpoint", type=Path, help="file of finished runs, to continue with")
    with started(parser, argv) as arguments:
        tables = compute(**given(arguments))
        write(arguments.out, "averages", draw(tables[""]), tables)
        print(summary(tables[""]).round(4).to_string())
        print(coverage(tables[""]).to_string())
        planted = (
            tables["_planted"].groupby(["collection", "error", "where"], sort=False)["found"].agg(["sum", "size"])
        )
        print(planted.to_string())


if __name__ == "__main__":
    main()
