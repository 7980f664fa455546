"""Peak memory of studies: of a real collection, of each further worker, and of a thousand runs in files.

Prints a row for each command, and exits with code 1 if one needs more than is promised:

- all runs of a real collection with one thread: below 500 MB; with two: at most 150 MB more;
- a few lists with SciPy's solver, which works in processes: at most 150 MB for each of them, not counting the pages
  of libraries that processes share (Linux: the private memory);
- 1000 runs x 50 topics x depth 1000, as gzipped files with document ids as long as those of ClueWeb: below 2 GB.
  A run of these files is one of twenty simulated systems whose scores have noise added.
"""

import argparse
import gzip
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from end_to_end import COMMAND, DATA
from tqdm import tqdm

import maxent as me

SYSTEMS = 20
PREFIX = "clueweb12-0000wb-"  # ids as long as those of ClueWeb
NOISE = 0.5  # standard deviation, where that of scores is 1
INTERVAL = 0.05  # seconds between two looks at the workers


def study(*argv: str) -> tuple[float, float, float]:
    """Seconds of a study as a command, its peak memory, and that of the largest worker process, in megabytes."""
    with tempfile.TemporaryDirectory() as out, tempfile.TemporaryFile("w+") as messages:
        start, largest = time.perf_counter(), 0.0
        command = [sys.executable, "-c", COMMAND, "study", *argv, "--out", out]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
        while process.poll() is None:
            largest = max([largest, *map(private, workers(process.pid))])
            time.sleep(INTERVAL)
        seconds = time.perf_counter() - start
        messages.seek(0)
        printed = messages.read()
    if process.returncode:
        raise SystemExit(printed)
    return seconds, int(printed.split()[-1]) / 1024, largest


def workers(pid: int) -> Iterator[int]:
    """Processes that a process has started, and those that these have started (Linux)."""
    try:
        lists = [task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:  # it has just ended
        return
    for child in map(int, " ".join(lists).split()):
        yield child
        yield from workers(child)


def private(pid: int) -> float:
    """Megabytes of a process that it shares with no other (Linux)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has just ended
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def write_collection(folder: Path, runs: int, topics: int) -> None:
    """Write qrels.txt and a folder with so many runs."""
    table, qrels = me.simulate(systems=SYSTEMS, topics=topics)
    for each in (table, qrels):
        each["line"] = each["query_id"] + " Q0 " + PREFIX + each["doc_id"]
    judgments = qrels["line"] + " " + qrels["relevance"].astype(str) + "\n"
    (folder / "qrels.txt").write_text("".join(judgments))
    systems = [(part["line"].to_numpy(), part["score"].to_numpy()) for _, part in table.groupby("run_id")]
    rng = np.random.default_rng(0)
    (folder / "runs").mkdir()
    for r in tqdm(range(runs), desc="writing runs"):
        lines, scores = systems[r % SYSTEMS]
        scores = scores + NOISE * rng.standard_normal(len(scores))
        order = np.lexsort((-scores, np.repeat(np.arange(topics), len(scores) // topics)))
        text = "".join(f"{lines[k]} 0 {scores[k]:.4f} run{r}\n" for k in order)
        (folder / "runs" / f"run{r}.gz").write_bytes(gzip.compress(text.encode(), compresslevel=1))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--collection", type=Path, default=DATA / "covid-round4", help="folder of qrels.txt and runs/"
    )
    parser.add_argument("--runs", type=int, default=1000, help="number of simulated runs (default: 1000)")
    parser.add_argument("--topics", type=int, default=50, help="number of simulated topics (default: 50)")
    arguments = parser.parse_args(argv)
    qrels, runs = str(arguments.collection / "qrels.txt"), str(arguments.collection / "runs")
    few = ["--runs", *sorted(str(path) for path in Path(runs).iterdir())[:6], "--depth", "100"]
    few += ["--topics", "1-4", "--measures", "P@10", "--solver", "scipy"]
    found = {
        "all runs, --jobs 1": study("--qrels", qrels, "--runs", runs, "--jobs", "1"),
        "all runs, --jobs 2": study("--qrels", qrels, "--runs", runs, "--jobs", "2"),
        "a few, --solver scipy --jobs 2": study("--qrels", qrels, *few, "--jobs", "2"),
    }
    with tempfile.TemporaryDirectory() as name:
        write_collection(folder := Path(name), arguments.runs, arguments.topics)
        large = ["--qrels", str(folder / "qrels.txt"), "--runs", str(folder / "runs")]
        size = f"{arguments.runs} runs x {arguments.topics} topics, --jobs 2"
        found[size] = study(*large, "--jobs", "2")
    table = pd.DataFrame(found, index=["seconds", "mb", "mb_of_a_worker"]).T
    print(table.to_string(float_format="%.0f"))
    one, two, several, thousand = table.itertuples()
    kept = one.mb < 500 and two.mb - one.mb <= 150 and several.mb_of_a_worker <= 150 and thousand.mb < 2000
    print("all below what is promised" if kept else "more than is promised")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
