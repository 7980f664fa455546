"""From files to figure: where the time goes, against other tools, against an earlier version, and as it grows.

Prints four tables, all on the runs of a real collection but the last:

- phases of ``maxent study`` with their shares, and the physical floor: decompressing the files, one parse of their
  scores by pandas' C engine, and the batch time of the solver;
- values of three measures, from files to a table: ``me.evaluate`` on paths and on tables, pytrec_eval, ir_measures
  and ranx, each as its documentation has it;
- whole commands with one thread and two, and whether both write the same bytes; with ``--earlier ../earlier`` those
  of an earlier commit as well (``git worktree add ../earlier COMMIT``);
- time and memory of a study of simulated grades by runs and topics, with the exponent fitted to the time per list.
"""

import argparse
import gzip
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import maxent as me
from maxent.cli.output import write_figure, write_table
from maxent.data.collection import Collection
from maxent.data.judgments import Judgments, entries, grades_by_rank
from maxent.data.trec import read_columns
from maxent.study import informativeness, topics
from maxent.study.choose_g import choose_from
from maxent.study.options import StudyOptions

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MEASURES = ("AP", "nDCG", "P@10")
SIZES = ((10, 50), (100, 50), (1000, 50), (10, 1000), (100, 1000))  # runs x topics
COMMAND = """
import sys
from maxent.cli import main
code = main()
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1], file=sys.stderr)
sys.exit(code)
"""
"""The command line, with its peak memory in kilobytes as the last word on stderr (Linux)."""


@contextmanager
def timed(phases: dict[str, float], name: str) -> Iterator[None]:
    """Add the seconds of a block to a phase."""
    start = time.perf_counter()
    yield
    phases[name] = phases.get(name, 0.0) + time.perf_counter() - start


def phases(folder: Path) -> pd.DataFrame:
    """Seconds of the phases of a study with the default measures, in one thread, and the physical floor."""
    found: dict[str, float] = {}
    paths = sorted((folder / "runs").iterdir())
    contents = []
    for path in paths:
        with timed(found, "floor: decompress"):
            contents.append(gzip.decompress(path.read_bytes()))
    for content in contents:
        with timed(found, "floor: one parse of the scores"):
            pd.read_csv(io.BytesIO(content), sep=r"\s+", header=None, usecols=[4], names=list("abcdef"), quoting=3)
    judged = Judgments.of(me.read_qrels(folder / "qrels.txt"))
    for path in paths:
        with timed(found, "decompress, parse, match"):
            lines = entries(read_columns(path, "score"), judged)
        with timed(found, "order, grades"):
            grades_by_rank(str(path), lines, judged, depth=1000)
    collection = me.collect(paths, folder / "qrels.txt")
    levels = collection.levels
    options = StudyOptions(
        measures=informativeness.default_measures(levels), thresholds=tuple(range(1, levels + 1)), progress=False
    )
    me.solve(me.Problem(me.AP(), value=0.3, relevant=(9,), retrieved=(9,)))  # machine code is loaded
    with timed(found, "study"):
        table = me.informativeness(collection, progress=False)
    for k in range(len(collection.topics)):
        topic = topics.lists_of(collection, k, None)
        topic = replace(topic, grades=topic.grades.astype(np.int64))
        with timed(found, "  of it evaluate"):
            values = topics.values_of(topic, options.measures)
        with timed(found, "  of it solve"):
            solved = list(topics.solved_lists(topic, options, values))
        del solved
    with timed(found, "summarise, choose g"):
        summary, choice = me.summarize(table), choose_from(table)
    with timed(found, "draw, write"), tempfile.TemporaryDirectory() as out:
        from maxent.plot import informativeness_figure

        write_table(table, Path(out) / "table.csv")
        write_figure(informativeness_figure(summary, choice=choice.table), Path(out) / "figure")
    seconds = pd.Series(found)
    whole = seconds[[name for name in found if not name.startswith(("floor", "  "))]].sum()
    return pd.DataFrame({"seconds": seconds, "share": seconds / whole})


def evaluations(folder: Path) -> pd.DataFrame:
    """Seconds from files to a table of values, and the largest difference of a mean from pytrec_eval's."""
    import ir_measures
    import pytrec_eval

    paths, qrels = sorted((folder / "runs").iterdir()), folder / "qrels.txt"

    def ours() -> pd.Series:
        return means(me.evaluate(paths, qrels, measures=MEASURES))

    def our_tables() -> pd.Series:
        return means(me.evaluate([me.read_run(p) for p in paths], me.read_qrels(qrels), measures=MEASURES))

    def trec() -> pd.Series:
        with qrels.open() as file:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map", "ndcg", "P_10"})
        rows = []
        for path in paths:
            with gzip.open(path, "rt") as file:
                values = pd.DataFrame(evaluator.evaluate(pytrec_eval.parse_run(file))).T
            rows += [values["map"].mean(), values["ndcg"].mean(), values["P_10"].mean()]
        return pd.Series(rows)

    def irm() -> pd.Series:
        judged, rows = list(ir_measures.read_trec_qrels(str(qrels))), []
        asked = [ir_measures.AP, ir_measures.nDCG, ir_measures.P @ 10]
        for path in paths:
            with gzip.open(path, "rt") as file:
                found = ir_measures.calc_aggregate(asked, judged, ir_measures.read_trec_run(file.read()))
            rows += [found[measure] for measure in asked]
        return pd.Series(rows)

    def rx() -> pd.Series:
        from ranx import Qrels, Run
        from ranx import evaluate as ranx_evaluate

        judged, rows = Qrels.from_file(str(qrels), kind="trec"), []
        with tempfile.TemporaryDirectory() as plain:
            for path in paths:
                copy = Path(plain) / "run.trec"
                copy.write_bytes(gzip.decompress(path.read_bytes()))
                run = Run.from_file(str(copy), kind="trec")
                found = ranx_evaluate(judged, run, ["map", "ndcg", "precision@10"], make_comparable=True)
                rows += list(found.values())
        return pd.Series(rows)

    tools: dict[str, Callable[[], pd.Series]] = {
        "me.evaluate on files": ours, "me.evaluate on tables": our_tables, "pytrec_eval": trec, "ir_measures": irm,
    }  # fmt: skip
    try:
        import ranx  # noqa: F401

        rx()  # it compiles at its first use
        tools["ranx"] = rx
    except ModuleNotFoundError:
        pass
    truth, rows = trec(), []
    for name, tool in tools.items():
        start = time.perf_counter()
        found = tool()
        rows.append((name, time.perf_counter() - start, float(np.abs(found.to_numpy() - truth.to_numpy()).max())))
    table = pd.DataFrame(rows, columns=["tool", "seconds", "difference"])
    return table.assign(ratio=table["seconds"] / table["seconds"][0])


def means(values: pd.DataFrame) -> pd.Series:
    """Means over topics, run by run and measure by measure."""
    return values.groupby(["run_id", "measure"], sort=False)["value"].mean()


def commands(folder: Path, earlier: Path | None, rounds: int) -> pd.DataFrame:
    """Medians of seconds and megabytes of the study as a command, the versions taking turns."""
    here = Path(me.__file__).parents[1]
    kinds = [("this, --jobs 1", here, 1), ("this, --jobs 2", here, 2)]
    kinds += [("earlier, --jobs 1", earlier, 1), ("earlier, --jobs 2", earlier, 2)] if earlier else []
    rows, written = [], {}
    for _ in range(rounds):
        for name, version, jobs in kinds:
            with tempfile.TemporaryDirectory() as out:
                argv = ["study", "--qrels", str(folder / "qrels.txt"), "--runs", str(folder / "runs"), "--out", out]
                start = time.perf_counter()
                process = subprocess.run(
                    [sys.executable, "-c", COMMAND, *argv, "--jobs", str(jobs)],
                    env=os.environ | {"PYTHONPATH": str(version)}, cwd=out, capture_output=True, check=True,
                    text=True,
                )  # fmt: skip
                seconds = time.perf_counter() - start
                rows.append((name, seconds, int(process.stderr.split()[-1]) / 1024))
                written[name] = {file.name: file.read_bytes() for file in sorted(Path(out).iterdir())}
    table = pd.DataFrame(rows, columns=["command", "seconds", "megabytes"])
    print(f"the same bytes with one thread and two: {written[kinds[0][0]] == written[kinds[1][0]]}")
    found = table.groupby("command", sort=False)[["seconds", "megabytes"]].median()
    return found.assign(ratio=found["seconds"] / found["seconds"].iloc[0]).reset_index()


def simulated(runs: int, count: int) -> Collection:
    """A collection of so many runs and topics, whose topics are drawn from a simulated one."""
    few = me.collect(*me.simulate(systems=20, topics=30), depth=1000)
    rng = np.random.default_rng(0)
    chosen, systems = rng.integers(0, len(few.topics), count), rng.integers(0, len(few.runs), runs)
    grades = few.grades[chosen][:, systems]
    return Collection(
        tuple(map(str, range(runs))), tuple(map(str, range(count))), grades, grades == 0, few.relevant[chosen],
        few.judged_nonrelevant[chosen], np.zeros((count, runs), dtype=bool), (),
    )  # fmt: skip


def growth() -> tuple[pd.DataFrame, float]:
    """Seconds and megabytes by size, each in a process of its own, and the exponent of the time over lists."""
    rows = []
    for runs, count in SIZES:
        command = [sys.executable, __file__, "--one-size", str(runs), str(count)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        lists, seconds, before, after = map(float, printed)
        rows.append((runs, count, int(lists), seconds, 1e6 * seconds / lists, before, after - before))
    names = ["runs", "topics", "lists", "seconds", "us_per_list", "mb_collection", "mb_study"]
    table = pd.DataFrame(rows, columns=names)
    exponent = np.polyfit(np.log(table["lists"]), np.log(table["seconds"]), 1)[0]
    return table, float(exponent)


def one_size(runs: int, count: int) -> None:
    """Print lists, seconds, and megabytes before and after a study of this size with three measures."""
    measures = me.GAP(g=(0.5, 0.5)), me.AP(), me.nDCG(gain="exp2")
    me.informativeness(simulated(2, 2), measures=measures, progress=False)
    collection = simulated(runs, count)
    before = peak()
    start = time.perf_counter()
    me.informativeness(collection, measures=measures, progress=False)
    seconds = time.perf_counter() - start
    print(runs * count, seconds, before, peak())


def peak() -> float:
    """Peak memory of this process in megabytes (Linux); what its parent had does not count."""
    line = next(line for line in Path("/proc/self/status").read_text().split("\n") if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--collection", type=Path, default=DATA / "covid-round4", help="folder of qrels.txt and runs/"
    )
    parser.add_argument("--earlier", type=Path, help="checkout of an earlier commit")
    parser.add_argument("--rounds", type=int, default=3, help="of whole commands (default: 3)")
    parser.add_argument("--one-size", type=int, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.one_size:
        one_size(*arguments.one_size)
        return 0
    import matplotlib.figure  # noqa: F401, so that its loading is not measured

    print(phases(arguments.collection).to_string(float_format="%.3f"), end="\n\n")
    print(evaluations(arguments.collection).to_string(index=False, float_format="%.3g"), end="\n\n")
    print(
        commands(arguments.collection, arguments.earlier, arguments.rounds).to_string(
            index=False, float_format="%.3g"
        )
    )
    table, exponent = growth()
    print(f"\n{table.to_string(index=False, float_format='%.3g')}\nexponent of the time over lists: {exponent:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
