"""Is anything lost when studies are disturbed? Random studies that are killed at random times, again and again.

Each study has a few runs and topics of a real collection, a random command (study, choose-g, predict), measures and
options, and a folder that holds the results of another study. It is started until it ends, and each time it may be
killed (SIGKILL or SIGTERM) at a random moment, be started twice at once, or run out of disk (a limit on the size of
files). After every start the folder must hold all or none of the results of the other study, or some or all of this
one's, never of both; in the end, those of a study that nobody disturbed, byte for byte. A study is a process forked
from one that has its libraries loaded, so that kills meet the work rather than the start-up.

    python tests/evidence/soak.py --minutes 120

Study k depends on ``--seed`` and k alone, the moments of the kills on the machine as well. The exit code is 1 if
anything is wrong; the folder of such a study is kept. POSIX only.
"""

import argparse
import contextlib
import functools
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import maxent as me
from maxent.cli import main
from maxent.files import PART

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COLLECTIONS = ("robust03", "covid-round4", "clef2014")
MEASURES = (
    *(
        "AP",
        "GAP",
        "nDCG",
        "nDCG(gain=exp2)",
        "P@10",
        "R@50",
        "Rprec",
        "RBP(p=0.8)",
        "Q",
        "xGAP(g=0.5,0.5)",
        "SR@20",
    ),
    *("AP(rel=2)", "AP & P@10", "counts", "nDCG@10", "eGAP(g=0.2,0.8)"),
)
PARTIAL, LOG = ".partial", "log"
STARTS = 12  # of a study before it is left in peace


class Study(NamedTuple):
    """A command without ``--out``; ``other`` has other options, for the results that are there before."""

    argv: list[str]
    other: list[str]


def random_study(folder: Path, data: Path, rng: np.random.Generator) -> Study:
    """A command on files that are written to a folder."""
    source = data / str(rng.choice(COLLECTIONS))
    if source.is_dir():
        paths = sorted((source / "runs").iterdir())
        drawn = [paths[k] for k in rng.choice(len(paths), size=min(len(paths), rng.integers(2, 7)), replace=False)]
        tables, qrels = [me.read_run(path) for path in drawn], me.read_qrels(source / "qrels.txt")
    else:
        table, qrels = me.simulate(systems=int(rng.integers(2, 7)), topics=30, depth=500, rng=rng)
        tables = [rows for _, rows in table.groupby("run_id")]
    topics = qrels["query_id"].unique()
    chosen = rng.choice(topics, size=min(len(topics), rng.integers(3, 40)), replace=False)
    (folder / "runs").mkdir(parents=True)
    for number, table in enumerate(tables):
        rows = table[table["query_id"].isin(chosen)].assign(run_id=f"run{number}", second="Q0", rank=0)
        columns = ["query_id", "second", "doc_id", "rank", "score", "run_id"]
        rows[columns].to_csv(folder / "runs" / f"{number}.txt", sep=" ", header=False, index=False)
    rows = qrels[qrels["query_id"].isin(chosen)].assign(second=0)
    columns = ["query_id", "second", "doc_id", "relevance"]
    rows[columns].to_csv(folder / "qrels.txt", sep=" ", header=False, index=False)
    command = str(rng.choice(["study", "study", "choose-g", "predict"]))
    argv = [command, "--qrels", str(folder / "qrels.txt"), "--runs", str(folder / "runs"), "--quiet"]
    argv += ["--depth", str(rng.choice([50, 200, 1000])), "--jobs", str(rng.choice([1, 2]))]
    argv += ["--count", str(rng.choice(["retrieved", "total", "at_most"])), "--g-steps", str(rng.integers(2, 5))]
    argv += ["--min-retrieved", str(rng.choice([0, 1, 5])), "--min-retrieved-total", "1"]
    if command != "choose-g":
        argv += ["--measures", *rng.choice(MEASURES, size=rng.integers(1, 5), replace=False)]
    if command == "choose-g":
        argv += [*(["--no-refine"] if rng.random() < 0.7 else [])]
    if command != "predict":
        argv += ["--align", str(rng.choice(["recall", "rank"]))]
    return Study(argv, [*argv, "--seed", "7", "--min-retrieved", "2"])


def fork(argv: list[str], log: Path, *, largest: int | None = None) -> int:
    """Process id of a child that carries out a command in a group of its own; ``largest``: bytes of a file."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        os.setpgid(0, 0)
        said = os.open(log if largest is None else os.devnull, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(said, 1)
        os.dup2(said, 2)
        if largest is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
        try:
            code = main(argv)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 71
        sys.stdout.flush()
    finally:
        os._exit(code)


def wait(pid: int, seconds: float | None = None) -> int | None:
    """Exit code of a child (minus the signal's number if one ended it); None if it has not ended in time."""
    end = None if seconds is None else time.monotonic() + seconds
    while end is None or time.monotonic() < end:
        found, status = os.waitpid(pid, 0 if end is None else os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    return None


def wait_for_topics(pid: int, folder: Path) -> int | None:
    """Wait until a study keeps a topic; its exit code if it ends before."""
    before, end, code = kept(folder), time.monotonic() + 600, None
    while code is None and kept(folder) <= before + 200 and time.monotonic() < end:  # a note is shorter
        code = wait(pid, 0.002)
    return code


def kept(folder: Path) -> int:
    """Bytes of finished topics."""
    with contextlib.suppress(FileNotFoundError):  # the study has just ended
        return sum(p.stat().st_size for p in folder.glob(f"*{PARTIAL}"))
    return 0


def results(folder: Path) -> dict[str, bytes]:
    """Files of a folder with their content, without what commands keep for themselves."""
    if not folder.exists():
        return {}
    return {p.name: p.read_bytes() for p in folder.iterdir() if not _own(p)}


def _own(path: Path) -> bool:
    return path.name.startswith(PART) or path.suffix == PARTIAL


def phase(folder: Path, before: dict[str, bytes]) -> str:
    """How far a study was when it was ended."""
    if any(folder.glob(f"{PART}*")):
        return "writing results"
    if results(folder) != before:
        return "results there"
    return "topics kept" if kept(folder) > 400 else "nothing kept"


def disturbed(study: Study, folder: Path, seconds: float, rng: np.random.Generator, count: Counter[str]) -> str:
    """Start a study until it ends; what is wrong, empty if nothing is."""
    whole, out, log = results(folder / "whole"), folder / "out", folder / LOG
    old = results(folder / "other")
    shutil.copytree(folder / "other", out)
    argv, code = [*study.argv, "--out", str(out)], None
    for start in range(STARTS + 1):
        before, fault = results(out), rng.choice(["kill", "term", "disk", "twice"], p=[0.8, 0.05, 0.1, 0.05])
        moment, early = rng.uniform(0, seconds), rng.random() < 0.5
        if start == STARTS:
            fault, moment = "none", 600.0
        pid = fork(argv, log, largest=int(rng.integers(0, 40_000)) if fault == "disk" else None)
        if fault == "twice":
            second = fork(argv, log)
            if (other := wait(second, 600)) not in (0, 2):
                return f"second process ended with {other}"
            count["second processes"] += 1
        code = None
        if fault in ("kill", "term") and early:
            code, moment = wait_for_topics(pid, out), rng.uniform(0, seconds / 20)
        if code is None:
            code = wait(pid, moment if fault in ("kill", "term") else 600)
        if code is None and fault == "none":
            os.killpg(pid, signal.SIGKILL)
            return "hangs"
        if code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM if fault == "term" else signal.SIGKILL)
            code = wait(pid)
        if code == -signal.SIGKILL:
            count[f"killed: {phase(out, before)}"] += 1
            for part in out.glob(f"{PART}*"):  # all that a kill may leave
                shutil.rmtree(part)
        elif code == 143 and fault == "term":
            count["terminated"] += 1
        elif code == 2 and fault in ("disk", "twice"):
            count["full disks" if fault == "disk" else "refused"] += 1
        elif code != 0:
            return f"exit code {code} ({fault})"
        found = results(out)
        if found != old and not found.items() <= whole.items():
            return f"mixed results after {fault}: {sorted(found)}"
        if code == 0 and found != whole:
            return f"other results: {sorted(name for name in whole if found.get(name) != whole[name])}"
        if code == 0 and fault != "twice":
            break
    if left := sorted(p.name for p in out.iterdir() if _own(p)):
        return f"left behind: {left}"
    return "" if code == 0 else "never ended"


def one(number: int, seed: int, data: Path, count: Counter[str]) -> str:
    """Make and disturb study ``number``; what is wrong, empty if nothing is."""
    rng = np.random.default_rng((seed, number))
    folder = Path(tempfile.mkdtemp(prefix=f"soak-{number}-"))
    study = random_study(folder, data, rng)
    codes, seconds = [], 0.0
    for name, argv in (("other", study.other), ("whole", study.argv)):
        began = time.monotonic()
        codes.append(wait(fork([*argv, "--out", str(folder / name)], folder / LOG)))
        seconds = time.monotonic() - began
    if codes == [0, 0]:
        count["studies"] += 1
        wrong = disturbed(study, folder, seconds, rng, count)
    else:  # no list left, say
        count["refused alone"] += 1
        wrong = "" if set(codes) <= {0, 2} else f"exit codes {codes}"
    if wrong:
        return f"study {number}: {wrong}; {folder}"
    shutil.rmtree(folder)
    return ""


def soak(minutes: float, seed: int, data: Path, say: Callable[[str], None]) -> tuple[Counter[str], list[str]]:
    """What happened how often, and what was wrong."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    began = said = time.monotonic()
    number = 0
    while time.monotonic() < began + 60 * minutes:
        if found := one(number, seed, data, count):
            wrong.append(found)
            say(found)
        number += 1
        if time.monotonic() > said + 60:
            said = time.monotonic()
            say(f"{(said - began) / 60:.0f} minutes: {dict(sorted(count.items()))}, {len(wrong)} wrong")
    return count, wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, metavar="M", help="how long (default: 10)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the studies (default: 0)")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the collections")
    given = parser.parse_args()
    import maxent.plot.studies

    warnings.simplefilter("ignore", DeprecationWarning)  # of os.fork beside threads of libraries, which are idle
    say = functools.partial(print, file=sys.stderr, flush=True)
    happened, wrongs = soak(given.minutes, given.seed, given.data, say)
    for what, times in sorted(happened.items()):
        print(f"{times:8,} {what}")
    print(f"{len(wrongs):8,} wrong")
    sys.exit(bool(wrongs))
