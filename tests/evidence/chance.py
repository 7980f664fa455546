"""What chance does: how often runs without a difference are told apart, and how often intervals hold the truth.

    python tests/evidence/chance.py

``rejections``: runs that differ by chance alone are compared with each other; of so many data sets, those in which
a test rejects anything after Holm's correction. ``coverage``: topics are drawn from distributions with a known
mean; of so many data sets, the share whose 95 % interval of the mean holds it, as studies have it (``maxent``), and
by percentiles and BCa of SciPy.
"""

import argparse

import numpy as np
import pandas as pd
from scipy.stats import bootstrap

from maxent.stats import TESTS, corrected, interval, paired_test, topic_bootstrap, topic_samples

RUNS, TOPICS, REPLICATES = 6, (10, 25, 50), 1000
DRAWS = {
    "normal": (lambda rng, size: rng.normal(size=size), 0.0),
    "gamma, shape 2": (lambda rng, size: rng.gamma(2, size=size), 2.0),
    "log-normal, sigma .6": (lambda rng, size: rng.lognormal(0, 0.6, size), np.exp(0.18)),
}


def rejections(sets: int) -> pd.DataFrame:
    """Data sets in which a test rejects anything: a row for each number of topics, a column for each test."""
    first, second = np.triu_indices(RUNS, 1)
    found = pd.DataFrame(0, index=pd.Index(TOPICS, name="topics"), columns=list(TESTS))
    for topics in TOPICS:
        for seed in range(sets):
            rng = np.random.default_rng((topics, seed))
            hard = 4 * rng.beta(1, 3, (topics, 1)) + 0.05  # values as skewed as those of AP, of runs that are alike
            scores = rng.beta(hard, 4.1 - hard, (topics, RUNS))
            counts, other = topic_samples(topics, REPLICATES, rng)
            for test in TESTS:
                table = paired_test(scores, first, second, test=test, alpha=0.05, counts=counts, seed=other)
                found.loc[topics, test] += bool(corrected(table["p_value"], "holm").min() <= 0.05)
    return found


def coverage(sets: int) -> pd.DataFrame:
    """Shares of intervals that hold the mean: a row for each distribution and method, a column for each number."""
    found = {}
    for name, (draw, mean) in DRAWS.items():
        for topics in (5, 10, 20, 50):
            drawn = draw(np.random.default_rng(topics), (sets, topics))
            ends = {"maxent": np.array([_of_studies(own, topics, seed) for seed, own in enumerate(drawn)]).T}
            for method in ("percentile", "BCa"):
                of_scipy = bootstrap(
                    (drawn,), np.mean, n_resamples=REPLICATES, method=method, batch=50, rng=0, axis=1
                )
                ends[method] = of_scipy.confidence_interval
            for method, (low, high) in ends.items():
                found[name, method, topics] = np.mean((low <= mean) & (mean <= high))
    return pd.Series(found).unstack(sort=False)


def _of_studies(errors: np.ndarray, topics: int, seed: int) -> np.ndarray:
    table = pd.DataFrame({"query_id": range(topics), "measure": "AP", "rms": errors})
    samples = topic_bootstrap(table, ["measure"], replicates=REPLICATES, rng=seed)
    return interval(samples, "rms", topics).to_numpy()[0]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000, help="data sets of each kind (default: 1000)")
    sets = parser.parse_args().sets
    print(f"of {sets} data sets without a difference, those with a rejection\n{rejections(sets).to_string()}\n")
    print(f"share of intervals that hold the mean\n{coverage(sets).round(3).to_string()}")


if __name__ == "__main__":
    main()
