"""Levels of all pairs at once against a plain loop over pairs and replicates, on random or real values.

The loop does for each pair what the definition says, with numpy on the topics of one replicate at a time. It is
timed on some of the pairs; the ratio is per pair. The exit code is 1 unless all its levels are identical.
"""

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
import pandas as pd

import maxent as me

MEASURES = 6


def loop(table: pd.DataFrame, pairs: Sequence[tuple[str, str]], samples: np.ndarray) -> list[float]:
    """Level of each pair, one replicate after the other."""
    levels = []
    for a, b in pairs:
        z = (table[a] - table[b]).to_numpy()
        n = len(z)
        t = abs(z.mean()) / (z.std(ddof=1) / np.sqrt(n))
        w = z - z.mean()
        reached = 0
        for sample in samples:
            w_b = w[sample]
            reached += abs(w_b.mean()) / (w_b.std(ddof=1) / np.sqrt(n)) >= t
        levels.append(reached / len(samples))
    return levels


def main(argv: Sequence[str] | None = None) -> int:
    """Print times, ratio and whether the levels are identical."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=72)
    parser.add_argument("--topics", type=int, default=45)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=50, help="pairs for the loop (default: 50)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    rng = np.random.default_rng(arguments.seed)
    topics, systems = arguments.topics, arguments.systems
    quality = rng.normal(0, 0.3, systems) + rng.normal(0, 1, (topics, 1))
    names = [f"s{k}" for k in range(systems)]
    tables = {
        f"m{k}": pd.DataFrame(1 / (1 + np.exp(-quality - rng.normal(0, 0.6, quality.shape))), columns=names)
        for k in range(MEASURES)
    }
    values = pd.concat(
        frame.rename_axis(index="query_id", columns="run_id")
        .stack()
        .rename("value")
        .reset_index()
        .assign(measure=m)
        for m, frame in tables.items()
    )
    start = time.perf_counter()
    found = me.systems.discriminative_power(values, replicates=arguments.replicates, rng=arguments.seed).pairs
    fast = time.perf_counter() - start
    counts = np.random.default_rng(arguments.seed).multinomial(
        topics, np.full(topics, 1 / topics), size=arguments.replicates
    )
    samples = np.array([np.repeat(np.arange(topics), c) for c in counts])
    first = found[found["measure"] == "m0"].set_index(["run_a", "run_b"])["asl"]
    pairs = [first.index[k] for k in rng.choice(len(first), min(arguments.pairs, len(first)), replace=False)]
    start = time.perf_counter()
    expected = loop(tables["m0"], pairs, samples)
    slow = (time.perf_counter() - start) / len(pairs)
    ratio = slow / (fast / len(found))
    same = first.loc[pairs].tolist() == expected
    print(
        f"{MEASURES} measures, {len(first)} pairs of {systems} systems, {topics} topics, B = {arguments.replicates}"
    )
    print(f"all at once: {fast:.2f} s, {1e6 * fast / len(found):.0f} microseconds a pair")
    print(f"loop:        {1e3 * slow:.1f} ms a pair ({len(pairs)} pairs), {ratio:.0f} times as long")
    print(f"levels identical: {'yes' if same else 'NO'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
