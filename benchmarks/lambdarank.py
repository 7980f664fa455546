"""Time per tree of ``maxent.ltr.lightgbm`` against LightGBM's own lambdarank objective, on OHSUMED.

Both train the same number of trees on the same data with the same parameters, in turn; the smallest of several
times counts, compilation before. With nDCG and all pairs, both must make the same tree from the same random
scores; later trees may part, where two splits are equally good but for rounding. The exit code is 1 unless they do
and no ratio is above 3.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd

import maxent as me
from maxent.ltr.lightgbm import Evaluation, LambdaObjective, dataset

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MEASURES = (me.nDCG(gain="exp2"), me.GAP(g=(0.5, 0.5)), me.xGAP(g=(0.5, 0.5)))


def seconds(run: Callable[[], object]) -> float:
    """Wall time of a call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main(argv: Sequence[str] | None = None) -> int:
    """Print times and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "ohsumed", help="folder of the folds")
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args(argv)
    table = pd.concat([me.data.read_letor(path) for path in sorted(arguments.data.glob("Fold*/test.txt*"))])
    params = {"verbosity": -1, "num_threads": arguments.threads, "num_leaves": arguments.leaves}
    train = dataset(table, params=params).construct()
    objectives = {"lambdarank": "lambdarank"}
    for measure in MEASURES:
        objectives[f"{measure}"] = LambdaObjective(measure)
        objectives[f"{measure}, all pairs"] = LambdaObjective(measure, lambdarank_truncation_level=None)
    objectives["lambdarank, all pairs"] = "lambdarank"

    def fit(name: str, trees: int = arguments.trees) -> Callable[[], lightgbm.Booster]:
        own = params | {"objective": objectives[name]}
        if name.startswith("lambdarank"):
            own["lambdarank_truncation_level"] = 10**6 if name.endswith("pairs") else 30
        return lambda: lightgbm.train(own, train, trees)

    times = np.array([[seconds(fit(name)) for name in objectives] for _ in range(arguments.repetitions + 1)])
    best = dict(zip(objectives, 1000 * times[1:].min(axis=0) / arguments.trees, strict=True))
    queries = table["query_id"].nunique()
    print(f"{queries} queries, {len(table)} documents, {arguments.trees} trees, {arguments.threads} thread(s)")
    ratios = []
    for name, each in best.items():
        peer = best["lambdarank, all pairs" if name.endswith("pairs") else "lambdarank"]
        ratios.append(each / peer)
        print(f"{name:34} {each:6.2f} ms a tree, ratio {ratios[-1]:.2f}")
    scores = np.random.default_rng(0).normal(size=len(table))
    metric = Evaluation(me.nDCG(gain="exp2", cutoff=10))
    metric(scores, train)
    print(f"evaluation of nDCG@10: {1000 * min(seconds(lambda: metric(scores, train)) for _ in range(20)):.2f} ms")
    features = table.filter(regex="^f[0-9]")
    apart = 0.0
    for seed in range(5):
        train.set_init_score(np.random.default_rng(seed).normal(size=len(table)))
        pair = (fit(f"{name}, all pairs", 1)() for name in ("lambdarank", MEASURES[0]))
        theirs, ours = (np.asarray(booster.predict(features)) for booster in pair)
        apart = max(apart, np.abs(theirs - ours).max() / np.ptp(theirs))
    print(f"nDCG, all pairs: predictions of a tree differ by at most {apart:.1e} of their range")
    return 0 if max(ratios) <= 3 and apart < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
