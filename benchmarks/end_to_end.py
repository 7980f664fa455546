"""From files to figure: where the time goes, against other tools, against an earlier version, and as it grows.

Prints four tables, all on the runs of a real collection but the last:

- stages of a study in seconds of a processor, beside pytrec_eval, which reads the same files and evaluates three
  measures; with ``--earlier ../earlier`` those of an earlier commit as well
  (``git worktree add ../earlier COMMIT``);
- values of three measures, from files to a table, in seconds of a processor: ``me.evaluate`` on paths and on
  tables, pytrec_eval, ir_measures and ranx, each as its documentation has it;
- whole commands with one thread and two, for 1, 10 and all runs, and whether both write the same bytes; those of
  the earlier commit as well;
- time and memory of a study of simulated grades by runs and topics, with the exponent fitted to the time per list.
"""

import argparse
import compileall
import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import maxent as me
from maxent.data.collection import Collection

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


STAGES = """
import os, sys, time
from pathlib import Path

def lap(name, begin):
    print(name, sum(os.times()[:2]) - begin)
    return sum(os.times()[:2])

import numpy, pandas
begin = lap("numpy and pandas", 0.0)
import maxent as me
from maxent.results.writers import write_csv, write_figure
from maxent.studies import choose_from
me.solve, me.informativeness, me.collect, me.summarize
begin = lap("package", begin)
from matplotlib import pyplot
from maxent.plot import plot_informativeness
from matplotlib.backends import backend_agg, backend_pdf, backend_svg
begin = lap("matplotlib", begin)
me.solve(me.Problem(me.GAP(g=(0.5, 0.5)), value=0.3, relevant=(9, 9), retrieved=(9, 9)))
begin = sum(os.times()[:2])  # machine code is loaded
paths = sorted((Path(sys.argv[1]) / "runs").iterdir())[: int(sys.argv[3])]
collection = me.collect(paths, Path(sys.argv[1]) / "qrels.txt", progress=False)
begin = lap("gunzip, parsing, order, grades", begin)
table = me.informativeness(collection, progress=False)
begin = lap("studying", begin)
summary, choice = me.summarize(table), choose_from(table)
begin = lap("summary, choice of g", begin)
write_csv(table, Path(sys.argv[2]) / "table.csv")
begin = lap("informativeness.csv", begin)
figure, axes = pyplot.subplots(1, summary["threshold"].nunique(), squeeze=False, layout="constrained")
for threshold, ax in enumerate(axes.ravel(), 1):
    plot_informativeness(summary, threshold=threshold, ax=ax)
write_figure(figure, Path(sys.argv[2]) / "figure")
lap("figures", begin)
"""
"""A study stage by stage, with the seconds of a processor that each takes; runs on earlier commits as well."""
TREC_EVAL = """
import gzip, os, sys
from pathlib import Path
import pytrec_eval

with (Path(sys.argv[1]) / "qrels.txt").open() as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map", "ndcg", "P_10"})
for path in sorted((Path(sys.argv[1]) / "runs").iterdir())[: int(sys.argv[3])]:
    with gzip.open(path, "rt") as file:
        evaluator.evaluate(pytrec_eval.parse_run(file))
print("pytrec_eval", sum(os.times()[:2]))
"""


def stages(folder: Path, earlier: Path | None, runs: int) -> pd.DataFrame:
    """Processor seconds of the stages of a study, in one thread, beside those of pytrec_eval."""
    versions = {"this": Path(me.__file__).parents[1]} | ({"earlier": earlier} if earlier else {})
    columns: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as out:
        for name, version in versions.items():
            columns[name] = _printed(STAGES, folder, out, runs, version)
        columns["this"] |= _printed(TREC_EVAL, folder, out, runs, versions["this"])
    return pd.DataFrame(columns)


def _printed(script: str, folder: Path, out: str, runs: int, version: Path) -> dict[str, float]:
    """The names and numbers that a script prints."""
    process = subprocess.run(
        [sys.executable, "-c", script, str(folder), out, str(runs)],
        env=os.environ | {"PYTHONPATH": str(version)}, cwd=out, capture_output=True, check=True, text=True,
    )  # fmt: skip
    pairs = (line.rsplit(" ", 1) for line in process.stdout.splitlines())
    return {name: float(number) for name, number in pairs}


def evaluations(folder: Path) -> pd.DataFrame:
    """Seconds from files to a table of values, and the largest difference of a mean from pytrec_eval's."""
    import ir_measures
    import pytrec_eval

    paths, qrels = sorted((folder / "runs").iterdir()), folder / "qrels.txt"

    def ours() -> pd.Series:
        return means(paths, qrels)

    def our_tables() -> pd.Series:
        return means([me.read_run(path) for path in paths], me.read_qrels(qrels))

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
        start = time.process_time()
        found = tool()
        rows.append((name, time.process_time() - start, float(np.abs(found.to_numpy() - truth.to_numpy()).max())))
    table = pd.DataFrame(rows, columns=["tool", "processor", "difference"])
    return table.assign(ratio=table["processor"] / table["processor"][0])


def means(runs: object, qrels: object) -> pd.Series:
    """Means over topics, run by run and measure by measure."""
    return me.evaluate(runs, qrels, measures=MEASURES).table["value"]


def commands(folder: Path, earlier: Path | None, rounds: int, runs: int) -> pd.DataFrame:
    """Medians of seconds, of processor seconds and of megabytes of the study as a command, and of pytrec_eval."""
    here, paths = Path(me.__file__).parents[1], sorted((folder / "runs").iterdir())[:runs]
    versions = {"this": here} | ({"earlier": earlier} if earlier else {})
    kinds = [(f"{name}, --jobs {jobs}", version, jobs) for name, version in versions.items() for jobs in (1, 2)]
    given = ["study", "--qrels", str(folder / "qrels.txt"), "--runs", *map(str, paths)]
    rows, written = [], {}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as out:
            rows.append(("pytrec_eval", *measured(TREC_EVAL, [str(folder), out, str(runs)], here)))
        for name, version, jobs in kinds:
            with tempfile.TemporaryDirectory() as out:
                rows.append((name, *measured(COMMAND, [*given, "--out", out, "--jobs", str(jobs)], version)))
                written[name] = {file.name: file.read_bytes() for file in sorted(Path(out).iterdir())}
    table = pd.DataFrame(rows, columns=["command", "seconds", "processor", "megabytes"])
    print(f"{runs} runs: the same bytes with one thread and two: {written[kinds[0][0]] == written[kinds[1][0]]}")
    found = table.groupby("command", sort=False)[["seconds", "processor", "megabytes"]].median()
    return found.assign(ratio=found["seconds"] / found["seconds"].iloc[0]).reset_index()


def measured(script: str, argv: Sequence[str], version: Path) -> tuple[float, float, float]:
    """Seconds, seconds of processors, and peak megabytes (the last word on stderr, if any) of a script."""
    start, before = time.perf_counter(), os.times()
    process = subprocess.run(
        [sys.executable, "-c", script, *argv],
        env=os.environ | {"PYTHONPATH": str(version)}, cwd="/", capture_output=True, check=True, text=True,
    )  # fmt: skip
    seconds, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    *_, last = "", *process.stderr.split()
    return seconds, used, int(last) / 1024 if last.isdigit() else 0.0


def simulated(runs: int, count: int) -> Collection:
    """A collection of so many runs and topics, whose topics are drawn from a simulated one."""
    few = me.collect(*me.simulate(systems=20, topics=30), depth=1000)
    rng = np.random.default_rng(0)
    chosen, systems = rng.integers(0, len(few.topics), count), rng.integers(0, len(few.runs), runs)
    grades = few.grades[chosen][:, systems]
    return Collection(
        tuple(map(str, range(runs))), tuple(map(str, range(count))), grades, grades == 0, few.relevant[chosen],
        few.judged_nonrelevant[chosen], few.lengths[chosen][:, systems], np.ones((count, runs)),
        np.zeros((count, runs), dtype=bool), (),
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
    for version in filter(None, (Path(me.__file__).parents[1], arguments.earlier)):
        compileall.compile_dir(version / "maxent", quiet=1)  # as pip has done with all other packages
    every = len(list((arguments.collection / "runs").iterdir()))
    print(stages(arguments.collection, arguments.earlier, every).to_string(float_format="%.2f"), end="\n\n")
    print(evaluations(arguments.collection).to_string(index=False, float_format="%.3g"), end="\n\n")
    for runs in (1, 10, every):
        found = commands(arguments.collection, arguments.earlier, arguments.rounds, runs)
        print(found.to_string(index=False, float_format="%.3g"), end="\n\n")
    table, exponent = growth()
    print(f"\n{table.to_string(index=False, float_format='%.3g')}\nexponent of the time over lists: {exponent:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
