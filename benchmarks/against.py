"""Is this version as right and as fast as an earlier one? Both on the same lists, in one run.

``git worktree add ../earlier COMMIT``, then ``python benchmarks/against.py ../earlier``. Prints, for each study of
real lists, how many statuses changed, how far entropies and errors are apart, and the measures of lists that are
apart; then the earlier version's microseconds over this one's, for batches and single problems with one to six
grades.
"""

import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import maxent as me

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
STUDIES = {  # collection, every so many of its runs, and what is not the default
    "robust03": ("robust03", 4, {}),
    "covid-round4": ("covid-round4", 4, {}),
    "clef2014": ("clef2014", 4, {}),
    "robust03, min_retrieved=1": ("robust03", 1, {"min_retrieved": 1}),
    "robust03, total": ("robust03", 1, {"count": "total"}),
    "robust03, at_most": ("robust03", 1, {"count": "at_most"}),
}
KEY = ["study", "run_id", "query_id", "measure", "threshold"]
ENTROPY, RMS = 1e-8, 1e-7  # differences up to here are rounding
ROUNDS = 5


def study(name: str) -> pd.DataFrame:
    """Status, entropy and error of every list, with the measures of the league."""
    sys.path.insert(0, str(Path(me.__file__).parents[1] / "analyses"))
    from league import measures

    folder, step, options = STUDIES[name]
    qrels = me.read_qrels(DATA / folder / "qrels.txt")
    files = sorted((DATA / folder / "runs").iterdir())[::step]
    table = me.informativeness(
        {file.name: me.read_run(file) for file in files},
        qrels,
        measures=measures(int(qrels["relevance"].max()), 5),
        progress=False,
        jobs=2,
        **options,
    )
    return table.assign(study=name)


def problems(levels: int, number: int = 32) -> list[me.Problem]:
    """Lists like those of a good system, at depth 1000."""
    rng, counts = np.random.default_rng(levels), (30, 14, 8, 6, 5, 4)[:levels]
    found = []
    for _ in range(number):
        grades = np.zeros(1000, dtype=int)
        grades[: sum(counts)] = np.repeat(np.arange(1, levels + 1), counts)
        order = np.argsort(-rng.normal(size=1000) - 0.9 * np.minimum(grades, 2), kind="stable")
        measure = me.GAP(g=tuple([1 / levels] * levels))
        found.append(me.Problem.of_list(measure, grades[order], tuple(c + 5 for c in counts)))
    return found


def speed() -> pd.DataFrame:
    """Least microseconds a problem: in a batch, and one by one."""
    rows = []
    for levels in range(1, 7):
        lists = problems(levels)
        me.solve_many(lists, progress=False)
        me.solve(lists[0])
        least = {"batch": np.inf, "single": np.inf}
        for _ in range(ROUNDS):
            many, few = ([dataclasses.replace(p) for p in lists * k] for k in (8, 1))
            start = time.perf_counter()
            me.solve_many(many, progress=False)
            middle = time.perf_counter()
            for problem in few:
                me.solve(problem)
            end = time.perf_counter()
            least["batch"] = min(least["batch"], 1e6 * (middle - start) / len(many))
            least["single"] = min(least["single"], 1e6 * (end - middle) / len(few))
        rows += [(levels, how, us) for how, us in least.items()]
    return pd.DataFrame(rows, columns=["grades", "how", "us"])


def tables(package: Path, out: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What this script finds in a process that imports another version."""
    command = [sys.executable, __file__, "--into", str(out)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(package)})
    return pd.read_csv(out / "study.csv", dtype={"query_id": str}), pd.read_csv(out / "speed.csv")


def differences(earlier: pd.DataFrame, now: pd.DataFrame) -> pd.DataFrame:
    """A row for each study, and for each of its measures of which lists are apart."""
    both = earlier.merge(now, on=KEY, suffixes=("", "_now"))
    assert len(both) == len(earlier) == len(now)
    both["entropy_apart"] = (both["entropy_now"] - both["entropy"]).abs()
    both["rms_apart"] = (both["rms_now"] - both["rms"]).abs()
    both["changed"] = both["status_now"] != both["status"]
    both["failed"] = (both["status_now"] == "failed") & (both["status"] != "failed")
    both["apart"] = (both["entropy_apart"] > ENTROPY) | (both["rms_apart"] > RMS)
    columns = {"changed": "sum", "failed": "sum", "apart": "sum", "entropy_apart": "max", "rms_apart": "max"}
    whole = both.groupby("study").agg(columns).assign(measure="all").set_index("measure", append=True)
    own = both[both["apart"] | both["changed"]].groupby(["study", "measure"]).agg(columns)
    return pd.concat([whole, own]).sort_index()


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if a list failed that did not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("earlier", type=Path, nargs="?", help="checkout of the earlier version")
    parser.add_argument("--into", type=Path, help="write this version's tables there, and nothing else")
    arguments = parser.parse_args(argv)
    if arguments.into:
        pd.concat(map(study, STUDIES)).to_csv(arguments.into / "study.csv", index=False)
        speed().to_csv(arguments.into / "speed.csv", index=False)
        return 0
    if arguments.earlier is None:
        parser.error("name the checkout of an earlier version")
    found = []
    for package in (arguments.earlier.resolve(), Path(me.__file__).parents[1]):
        with tempfile.TemporaryDirectory() as folder:
            found.append(tables(package, Path(folder)))
    table = differences(found[0][0], found[1][0])
    print(table.to_string(float_format=lambda x: f"{x:.2g}"))
    times = found[0][1].merge(found[1][1], on=["grades", "how"], suffixes=("", "_now"))
    times["ratio"] = times["us"] / times["us_now"]
    print(times.pivot(index="grades", columns="how").to_string(float_format=lambda x: f"{x:.3g}"))
    return int(table["failed"].any())


if __name__ == "__main__":
    sys.exit(main())
