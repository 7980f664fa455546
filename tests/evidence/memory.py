"""Peak memory of studies: of a real collection, of each further worker, and of a thousand runs in files.

Prints a row for each command, and exits with code 1 if one needs more than is promised:

- all runs of a real collection with one thread: below 500 MB; with two: at most 150 MB more;
- a few lists with SciPy's solver, which works in processes: at most 150 MB for each of them, not counting the pages
  of libraries that processes share (Linux: the private memory);
- 1000 runs x 50 topics x depth 1000, as gzipped files with document ids as long as those of ClueWeb: below 2 GB.
  A run of these files is one of twenty simulated systems whose scores have noise added.

With ``--files`` it reads large and hostile files instead, each as a run: if it is refused, with at most 500 MB and
in five seconds; if it is read, with at most 12 bytes of memory for a byte of text.
"""

import argparse
import gzip
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

import maxent as me
from maxent.types import IntArray

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COMMAND = """
import sys
from maxent.cli import main
code = main()
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1], file=sys.stderr)
sys.exit(code)
"""
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


def large_files(folder: Path) -> Iterator[tuple[str, Path, int]]:
    """Files one after the other: what each is, its path, and the bytes of its text."""
    zeros, comments, repeated = bytes(1 << 20), b"# aaa\n" * (1 << 17), b"1 Q0 doc 1 1.0 t\n" * (1 << 16)
    path = folder / "run"
    for what, block, size in (("zeros", zeros, 5 << 30), ("comments", comments, 5 << 30)):
        with gzip.open(path, "wb", compresslevel=1) as file:
            for _ in range(size // len(block)):
                file.write(block)
        yield f"5 GB of {what}, gzip -1", path, size
    with path.open("wb") as plain:
        plain.truncate(5 << 30)
    yield "5 GB, sparse", path, 5 << 30
    for what, block, size in (("comments", comments, 400), ("one repeated line", repeated, 20)):
        path.write_bytes(block * (size * 10**6 // len(block)))
        yield f"{size} MB of {what}", path, size * 10**6
    for size in (10, 400):
        path.write_text('{"a":[' + ",".join(["[]"] * (size * 10**6 // 3)) + "]}")
        yield f"{size} MB of JSON, empty lists", path, path.stat().st_size
        path.write_text("{" + ",".join(f'"{k:x}":{{}}' for k in range(size * 10**5)) + "}")
        yield f"{path.stat().st_size / 10**6:.0f} MB of JSON, empty topics", path, path.stat().st_size
    for size in (80, 400):
        path.write_text("".join(lines_of_a_run(size * 10**6)))
        yield f"{size} MB of good lines", path, path.stat().st_size
    import pyarrow as pa
    from pyarrow.parquet import write_table

    def write(topics: list[str], topic: IntArray, docs: list[str], doc: IntArray) -> int:
        columns = [pa.DictionaryArray.from_arrays(code, ids) for code, ids in ((topic, topics), (doc, docs))]
        table = pa.table([*columns, np.arange(len(topic)) / 8], names=["query_id", "doc_id", "score"])
        write_table(table, path, compression="zstd")
        return sum(
            int(np.bincount(code) @ list(map(len, ids))) + 9 * len(code)
            for code, ids in ((topic, topics), (doc, docs))
        )

    numbered = [str(k) for k in range(20_000)]
    place = np.arange(44_000)
    size = write(numbered[:1100], place // 40, [f"{k}{'x' * 100_000}" for k in range(40)], place % 40)
    yield "Parquet, 44,000 rows with long ids", path, size
    same = np.zeros(19_000_000, dtype=np.int64)
    yield "Parquet, 19,000,000 rows of one document", path, write(["1"], same, ["d"], same)
    place = np.arange(8_000_000)
    yield "Parquet, 8,000,000 good rows", path, write(numbered[:400], place // 20_000, numbered, place % 20_000)


def lines_of_a_run(size: int) -> Iterator[str]:
    """Lines of at most so many bytes in all, 1000 a topic."""
    for topic in count():
        lines = "".join(f"{topic} Q0 doc{(k * 7919) % 10**8:08d} {k} {1 / (k + 1):.6f} tag\n" for k in range(1000))
        size -= len(lines)
        if size < 0:
            return
        yield lines


READ = """
import sys, time
from pathlib import Path
import maxent as me

def peak():
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024

me.collect({"1": {"a": 1.0}}, {"1": {"a": 1}}, progress=False)  # loads what it needs
before, start, said = peak(), time.process_time(), "read"
try:
    if sys.argv[1] == "check":
        found = me.check([sys.argv[2]], {"1": {"doc00000000": 1}}, progress=False)
        unusable = found.findings.query("finding == 'cannot be used'")
        said = "refused: " + unusable["detail"].iloc[0] if len(unusable) else said
    else:
        me.collect([sys.argv[2]], {"1": {"doc00000000": 1, "0": 1}}, progress=False)
except me.errors.InputError as error:
    said = f"refused: {error}"
print(time.process_time() - start, before, peak(), said, sep="\t")
"""


def files() -> int:
    """Print what large files need, in seconds of the processor (Linux); 1 if a promise is not kept."""
    kept = True
    with tempfile.TemporaryDirectory() as name:
        for what, path, size in large_files(Path(name)):
            for command in ("collect", "check"):
                call = [sys.executable, "-c", READ, command, str(path)]
                printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout
                seconds, before, peak = map(float, printed.split("\t")[:3])
                said = printed.split("\t")[3].strip().replace(str(path), "run")
                a_byte = (peak - before) * 2**20 / size
                kept &= (peak <= 500 and seconds <= 5) if said.startswith("refused") else a_byte <= 12
                print(f"| {what} | {command} | {seconds:.1f} | {peak:.0f} | {a_byte:.1f} | {said} |", flush=True)
    print("all below what is promised" if kept else "more than is promised")
    return 0 if kept else 1


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--collection", type=Path, default=DATA / "covid-round4", help="folder of qrels.txt and runs/"
    )
    parser.add_argument("--runs", type=int, default=1000, help="number of simulated runs (default: 1000)")
    parser.add_argument("--topics", type=int, default=50, help="number of simulated topics (default: 50)")
    parser.add_argument("--files", action="store_true", help="large and hostile files instead of studies")
    arguments = parser.parse_args(argv)
    if arguments.files:
        return files()
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
