"""What a set of best measures claims: how often it loses a measure that is as good as the others, and its size.

    python tests/evidence/best_set.py

``equal``: the errors of fifteen measures on a collection, shifted to one mean. Each study draws its topics anew.
``any excluded`` is the share of the studies that exclude a measure, at most .05 for a set with 95 % confidence.
``unadjusted``: paired 95 % intervals of the differences to the measure with the smallest mean.
``real``: the errors as they are. ``best kept`` is the share of the studies that keep the measure with the smallest
mean over all topics; ``size`` is the mean size of the set.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t as student

import maxent as me
from maxent.stats import set_p_values
from maxent.stats.confidence_set import confidence_set

DATA = Path(__file__).parents[3] / "shared" / "data"
GRID = [f"GAP(g={g},{1 - g})" for g in np.arange(9) / 8]
MEASURES = [*GRID, "nDCG(gain=exp2)", "nDCG", "Q(beta=0.1)", "Q(beta=1)", "RBP(p=0.95)", "P@10"]
COLLECTIONS = {"covid-round4": 6, "robust03": 1}  # of so many runs, one is used
TOPICS, REPLICATES = (15, 25, 45), 300

Errors = tuple[np.ndarray, np.ndarray]  # sums of errors by topic (topics, m), and numbers of them (topics,)
Rule = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]


def errors_of(collection: str, step: int) -> Errors:
    """Errors of the papers' reading, on the lists solved for all measures."""
    runs = sorted(map(str, (DATA / collection / "runs").iterdir()))[::step]
    options = {"reading": "papers"}
    table = me.informativeness(
        runs, DATA / collection / "qrels.txt", measures=MEASURES, progress=False, jobs=2, **options
    )
    solved = table[table["status"].isin(["optimal", "boundary"])]
    rows = solved.pivot_table(index=["query_id", "run_id", "threshold"], columns="measure", values="rms").dropna()
    by_topic = rows.groupby("query_id")
    return by_topic.sum().to_numpy(), by_topic.size().to_numpy(float)


def unadjusted(sums: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Measures whose paired interval of the difference to the best one includes 0."""
    topics, means = len(sizes), sums.sum(axis=0) / sizes.sum()
    best = means.argmin()
    weights = rng.multinomial(topics, np.full(topics, 1 / topics), size=REPLICATES)
    samples = (weights @ sums) / (weights @ sizes)[:, None]
    differences = samples - samples[:, [best]]
    if topics < 20:
        errors = differences.std(axis=0) * np.sqrt(topics / (topics - 1))
        low = means - means[best] - student.ppf(0.975, topics - 1) * errors
    else:
        low = np.quantile(differences, 0.025, axis=0)
    return (low <= 0) | (np.arange(len(means)) == best)


def best_set(sums: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The model confidence set of the package."""
    topics, means = len(sizes), sums.sum(axis=0) / sizes.sum()
    influences = (sums - np.outer(sizes, means)) / sizes.mean()
    weights = rng.multinomial(topics, np.full(topics, 1 / topics), size=REPLICATES)
    samples = (weights @ sums) / (weights @ sizes)[:, None]
    return confidence_set(set_p_values(means, influences, samples, weights))


def rates(sums: np.ndarray, sizes: np.ndarray, topics: int, studies: int, rng: np.random.Generator) -> pd.DataFrame:
    """Of drawn studies, the share in which a rule excludes any measure or keeps the best, and the mean size."""
    best = (sums.sum(axis=0) / sizes.sum()).argmin()
    rules: dict[str, Rule] = {"unadjusted": unadjusted, "set": best_set}
    rows = []
    for _ in range(studies):
        drawn = rng.integers(0, len(sizes), topics)
        for name, rule in rules.items():
            kept = rule(sums[drawn], sizes[drawn], rng)
            rows.append((name, not kept.all(), kept[best], kept.sum()))
    frame = pd.DataFrame(rows, columns=["rule", "any excluded", "best kept", "size"])
    return frame.groupby("rule", sort=False).mean()


def main() -> None:
    """Print the table of each collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=200)
    studies = parser.parse_args().studies
    rng = np.random.default_rng(3)
    for collection, step in COLLECTIONS.items():
        sums, sizes = errors_of(collection, step)
        means = sums.sum(axis=0) / sizes.sum()
        equal = sums - np.outer(sizes, means - means.mean())
        for label, errors in (("equal", equal), ("real", sums)):
            for topics in TOPICS:
                print(f"{collection}, {label}, {topics} topics", flush=True)
                print(rates(errors, sizes, topics, studies, rng).round(2).to_string(), flush=True)


if __name__ == "__main__":
    main()
