"""What a study costs on a cluster: seconds of a processor, bytes, and both for a study of any size.

Solves a simulated collection of two grades and depth 1000 with 50 measures in one thread, as a worker does, then
keeps, gathers, summarises and writes the rows, as the machine does that has started the study. Counts seconds of
one processor, so that other programs on this machine hardly matter, and bytes. The last table is the estimate for
--runs x --topics x 50 measures on --processors:

    workers: hours = runs x topics x measures x ms of a pair / processors / 3.6e6
    client:  hours = runs x topics x measures x ms of a pair / 3.6e6
"""

import argparse
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import maxent as me
from maxent.results.writers import write_csv
from maxent.studies import topics
from maxent.studies.checkpoint import Checkpoint
from maxent.studies.informativeness import _study_topic
from maxent.studies.options import StudyOptions
from maxent.studies.topic_groups import TopicGroups

OTHERS = (
    "AP", "AP(rel=2)", "nDCG", "nDCG(gain=exp2)", "nDCG@10", "nDCG(gain=exp2)@20", "DCG(discount=inverse)", "P@5",
    "P@10", "P@20", "Rprec", "R@100", "RBP(p=.5)", "RBP(p=.8)", "RBP(p=.95)", "xGAP(g=.5,.5)", "eGAP(g=.5,.5)",
    "gAP", "wAP", "Q", "SR@20", "mSR@10", "gP@10", "gR@20", "nRecall",
)  # fmt: skip
MEASURES = (*(me.GAP(g=g) for g in me.g_grid(levels=2, steps=25)), *map(me.parse_measure, OTHERS))


def figures(systems: int = 256, queries: int = 8) -> pd.Series:
    """Milliseconds of one processor, and bytes, each for a pair of list and measure."""
    collection = me.collect(*me.simulate(systems=systems, topics=queries, depth=1000))
    options = StudyOptions(measures=MEASURES, thresholds=(1, 2), progress=False)
    pairs = systems * queries * len(MEASURES)
    groups = TopicGroups.of(collection, None, aligns=(options.align,))
    pieces = [[topic] for topic in groups.topics]
    topics._piece_results(_study_topic, pieces[0], options)  # machine code is compiled or loaded
    clock = [time.process_time()]
    found = [topics._piece_results(_study_topic, piece, options) for piece in pieces]
    clock.append(time.process_time())
    back = [pickle.dumps(results, protocol=5) for results in found]
    with tempfile.TemporaryDirectory() as folder, Checkpoint(Path(folder) / "a.partial", key="k") as checkpoint:
        clock.append(time.process_time())
        kept = [pickle.loads(sent)[0] for sent in back]
        for k, results in enumerate(kept):
            checkpoint.add(str(k), results)
        clock.append(time.process_time())
        table = topics.results_table(collection, options, {"threshold": options.thresholds}, groups.dealt(kept))
        me.summarize(table)
        clock.append(time.process_time())
        write_csv(table, Path(folder) / "informativeness.csv")
        clock.append(time.process_time())
        size, written = (next(Path(folder).glob(f"*.{kind}")).stat().st_size for kind in ("partial", "csv"))
    solve, _, keep, gather, write = 1000 * np.diff(clock) / pairs
    return pd.Series({
        "ms on a worker, to solve": solve,
        "ms here, to keep": keep,
        "ms here, to gather and summarise": gather,
        "ms here, to write": write,
        "bytes to workers": sum(len(pickle.dumps((piece, options), protocol=5)) for piece in pieces) / pairs,
        "bytes back": sum(map(len, back)) / pairs,
        "bytes of the checkpoint": size / pairs,
        "bytes of informativeness.csv": written / pairs,
        "bytes of the table in memory": table.memory_usage(deep=True).sum() / pairs,
    })  # fmt: skip


def estimate(found: pd.Series, *, runs: int, queries: int, processors: int) -> pd.Series:
    """Hours and gigabytes of a study."""
    pairs, blocks = runs * queries * len(MEASURES), queries * -(-runs // topics.BLOCK)
    here = found[found.index.str.startswith("ms here")] * pairs / 3.6e6
    work = pairs * found["ms on a worker, to solve"] / 3.6e6
    sizes = found[found.index.str.startswith("bytes")] * pairs / 1e9
    return pd.concat([
        pd.Series({
            "million pairs": pairs / 1e6,
            "blocks": blocks,
            "processor seconds of a block": 3600 * work / blocks,
            "processor hours of the workers": work,
            f"hours on {processors} processors": work / processors,
        }),
        here.rename(lambda name: name.replace("ms", "hours")),
        sizes.rename(lambda name: name.replace("bytes", "GB")),
    ])  # fmt: skip


def main() -> None:
    """Print the figures and the estimate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("runs", 1000), ("topics", 1000), ("processors", 100)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    given = parser.parse_args()
    found = figures()
    print("of a pair of list and measure, two thresholds", found.to_string(float_format="{:.3g}".format), sep="\n")
    size = f"\n{given.runs} runs x {given.topics} topics x {len(MEASURES)} measures"
    whole = estimate(found, runs=given.runs, queries=given.topics, processors=given.processors)
    print(size, whole.to_string(float_format="{:.3g}".format), sep="\n")


if __name__ == "__main__":
    main()
