"""How close the embedded collection is to the one it was fitted to, TREC-COVID round 4.

Prints each statistic for the real collection, its spread (standard deviation over random sub-collections of the
size of the embedded one: differences of this order are chance), and the embedded collection itself.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from maxent.data.collect import collect
from maxent.data.inputs import read_qrels, read_run
from maxent.data.simulate import simulate
from maxent.errors import InputError, MaxentError
from maxent.measures import AP, Measure, nDCG
from maxent.types import FloatArray

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "covid-round4"
DEPTH = 1000
SYSTEMS, TOPICS = 20, 30
MEASURES: dict[str, Measure] = {"AP(rel=1)": AP(rel=1), "AP(rel=2)": AP(rel=2), "nDCG": nDCG()}
SAMPLES = 50
"""Random sub-collections of SYSTEMS runs and TOPICS topics, for the spread."""


@dataclass(frozen=True, eq=False)
class Observed:
    """What the statistics are computed from; all arrays start with the topics, then the runs.

    Attributes
    ----------
    relevant : (topics, levels) array
        Relevant documents of each grade.
    found : (topics, runs, levels) array
        Those that the list contains.
    values : mapping of measure to (topics, runs) array
    overlap : mapping of name to (topics, runs, runs) array
        Number of documents that two lists have in common.
    """

    relevant: FloatArray
    found: FloatArray
    values: Mapping[str, FloatArray]
    overlap: Mapping[str, FloatArray]

    def sample(self, rng: np.random.Generator) -> "Observed":
        """Random sub-collection of the size of the embedded one."""
        # with replacement: 30 of 45 topics without it would overlap and understate the spread
        topics = rng.choice(self.found.shape[0], TOPICS)
        runs = rng.choice(self.found.shape[1], SYSTEMS, replace=False)
        return Observed(
            relevant=self.relevant[topics],
            found=self.found[np.ix_(topics, runs)],
            values={name: value[np.ix_(topics, runs)] for name, value in self.values.items()},
            overlap={name: value[np.ix_(topics, runs, runs)] for name, value in self.overlap.items()},
        )


def observe(runs: pd.DataFrame, qrels: pd.DataFrame) -> Observed:
    """Evaluate all lists and count the documents that pairs of lists share."""
    collection = collect(runs, qrels, depth=DEPTH)
    grades, relevant = collection.grades, collection.relevant
    levels = range(1, collection.levels + 1)
    values: dict[str, FloatArray] = {
        name: np.stack([measure.evaluate(g, r) for g, r in zip(grades, relevant, strict=True)]).astype(np.float64)
        for name, measure in MEASURES.items()
    }
    return Observed(
        relevant=relevant.astype(np.float64),
        found=np.stack([(grades == level).sum(axis=2) for level in levels], axis=2).astype(np.float64),
        values=values,
        overlap=_overlap(runs, qrels, collection.topics, collection.runs),
    )


def _overlap(
    runs: pd.DataFrame, qrels: pd.DataFrame, topics: Sequence[str], names: Sequence[str]
) -> dict[str, FloatArray]:
    """Documents that pairs of runs share, each (topics, runs, runs)."""
    runs = runs.sort_values(["score", "doc_id"], ascending=False)
    runs = runs.assign(rank=runs.groupby(["query_id", "run_id"]).cumcount() + 1)
    runs = runs[runs["rank"] <= DEPTH].merge(qrels, how="left", on=["query_id", "doc_id"])
    by_topic = dict(list(runs.groupby("query_id")))
    row = {name: i for i, name in enumerate(names)}
    shared: dict[str, list[FloatArray]] = {"top 1000": [], "top 100": [], "relevant in top 100": []}
    for topic in topics:
        lists = by_topic[topic]
        at = lists["run_id"].map(row).to_numpy(), pd.factorize(lists["doc_id"])[0]
        top, relevant = (lists["rank"] <= 100).to_numpy(), (lists["relevance"] > 0).to_numpy()
        for name, kept in zip(shared, (top | True, top, top & relevant), strict=True):
            contains = np.zeros((len(names), at[1].max() + 1), dtype=np.float32)
            contains[at[0][kept], at[1][kept]] = 1
            shared[name].append(contains @ contains.T)
    return {name: np.stack(counts).astype(np.float64) for name, counts in shared.items()}


def statistics(observed: Observed) -> dict[str, float]:
    """Moments of the counts, of the effectiveness and of the agreement between systems."""
    first, second = observed.relevant[:, 0], observed.relevant[:, 1]
    out: dict[str, float] = {}
    for grade, counts in ((1, first), (2, second)):
        out |= {f"R_{grade} {name}": value for name, value in _moments(counts, (25, 50, 75)).items()}
    out["R_1, R_2 correlation"] = float(np.corrcoef(first, second)[0, 1])
    for name, values in observed.values.items():
        out |= {f"{name} {moment}": value for moment, value in _moments(values, (5, 25, 50, 75, 95)).items()}
        out[f"{name} sd of system means"] = float(values.mean(axis=0).std(ddof=1))
        out[f"{name} sd of topic means"] = float(values.mean(axis=1).std(ddof=1))
    topic_means = observed.values["nDCG"].mean(axis=1)
    out["nDCG of topic, log R_1 correlation"] = float(np.corrcoef(topic_means, np.log(first))[0, 1])
    # where a topic has no document of a grade, its recall is not defined
    bases = np.where(observed.relevant > 0, observed.relevant, np.nan)[:, None]
    for grade, recall in enumerate(np.nanmean(observed.found / bases, axis=(0, 1)), start=1):
        out[f"recall of grade {grade}"] = float(recall)
    out["lists with 5 of each grade"] = float((observed.found >= 5).all(axis=2).mean())
    pairs = np.triu_indices(observed.found.shape[1], 1)
    overlap = {name: counts.mean(axis=0)[pairs] for name, counts in observed.overlap.items()}
    out["overlap at 1000"] = float(overlap["top 1000"].mean() / 1000)
    out["overlap at 100"] = float(overlap["top 100"].mean() / 100)
    out["overlap at 100, sd over pairs"] = float(overlap["top 100"].std() / 100)
    out["shared relevant in top 100"] = float(overlap["relevant in top 100"].mean())
    out["Kendall tau between topics (AP)"] = _mean_tau(observed.values["AP(rel=1)"])
    return out


def _moments(values: FloatArray, percents: Sequence[int]) -> dict[str, float]:
    quantiles = {f"q{percent}": float(np.percentile(values, percent)) for percent in percents}
    return {"mean": float(values.mean()), "sd": float(values.std(ddof=1)), **quantiles}


def _mean_tau(values: FloatArray) -> float:
    """Mean over pairs of rows (topics) of Kendall's tau-b between their orders of the columns (runs)."""
    i, j = np.triu_indices(values.shape[1], 1)
    order = np.sign(values[:, i] - values[:, j])
    agreement = order @ order.T
    untied = np.sqrt(np.diag(agreement))
    tau = agreement / np.maximum(np.outer(untied, untied), 1)  # 0 where a topic has all runs tied
    return float(tau[np.triu_indices(len(values), 1)].mean())


def compute(data_dir: Path) -> pd.DataFrame:
    """Statistics of the real and of the embedded collection.

    Parameters
    ----------
    data_dir : Path
        Folder with ``qrels.txt`` and the folder ``runs``, grades 0 to 2.

    Returns
    -------
    DataFrame
        Columns statistic, real, spread (standard deviation over random sub-collections of the
        real one), simulated.
    """
    paths = sorted((data_dir / "runs").glob("*"))
    if not paths:
        raise InputError(f"{data_dir}: no folder 'runs' with run files")
    real = observe(pd.concat([read_run(path) for path in paths]), read_qrels(data_dir / "qrels.txt"))
    rng = np.random.default_rng(0)
    samples = pd.DataFrame([statistics(real.sample(rng)) for _ in range(SAMPLES)])
    simulated = observe(*simulate(systems=SYSTEMS, topics=TOPICS, depth=DEPTH))
    table = {"real": statistics(real), "spread": samples.std(), "simulated": statistics(simulated)}
    return pd.DataFrame(table).rename_axis("statistic").reset_index()


def main(argv: Sequence[str] | None = None) -> None:
    """Print the comparison as a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the real collection (%(default)s)")
    parser.add_argument("--out", type=Path, help="also write the table to this CSV file")
    arguments = parser.parse_args(argv)
    try:
        table = compute(arguments.data)
    except MaxentError as error:
        parser.error(str(error))
    if arguments.out is not None:
        table.to_csv(arguments.out, index=False)
    print(table.set_index("statistic").rename_axis(None).to_string(float_format="{:.3f}".format))


if __name__ == "__main__":
    main()
