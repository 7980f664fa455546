"""What do tools make of malformed files? Mean AP, or an error, of small files with one thing wrong.

Prints a table: a row for each file, a column for each tool. A number is what the tool returns without a word; that
of the files without a fault is in the first row. ``error`` says that the tool refuses the file, with the number of
the line if it names it; ``crash`` that a signal ended its process. The last row counts numbers unlike the first.

    python tests/evidence/malformed.py --trec-eval path/to/trec_eval
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd

RUN = "1 Q0 a 1 3.0 tag\n1 Q0 b 2 2.0 tag\n2 Q0 c 1 1.0 tag\n"
QRELS = "1 0 a 0\n1 0 b 1\n2 0 c 1\n"
FILES: dict[str, tuple[str | bytes, str | bytes]] = {  # fault, run, judgments
    "nothing": (RUN, QRELS),
    "run: a document twice": (RUN + "1 Q0 b 3 4.0 tag\n", QRELS),
    "run: score NaN": (RUN.replace("3.0", "nan"), QRELS),
    "run: score infinite": (RUN.replace("2.0", "inf"), QRELS),
    "run: score 1e999": (RUN.replace("2.0", "1e999"), QRELS),
    "run: decimal comma": (RUN.replace("3.0", "1,5").replace("2.0", "1,7"), QRELS),
    "run: a word as score": (RUN.replace("3.0", "high"), QRELS),
    "run: score 1_000": (RUN.replace("2.0", "1_000"), QRELS),
    "run: a column missing": (RUN.replace("1 Q0 b 2 2.0 tag", "1 Q0 b 2.0 tag"), QRELS),
    "run: a column too many": (RUN.replace("1 Q0 b", "1 Q0 0 b"), QRELS),
    "run: last line cut off": (RUN[:-8], QRELS),
    "run: two tags": (RUN.replace("1.0 tag", "1.0 other"), QRELS),
    "run: a comment": ("# by hand\n" + RUN, QRELS),
    "run: byte order mark": ("\ufeff" + RUN, QRELS),
    "run: UTF-16": (RUN.encode("utf-16"), QRELS),
    "run: Latin-1": (RUN.encode().replace(b" b ", b" \xe9 "), QRELS),
    "run: NUL": (RUN.replace(" b ", " b\0b "), QRELS),
    "run: empty": ("", QRELS),
    "run: gzip cut off": (gzip.compress(RUN.encode())[:-9], QRELS),
    "run: other topics": (re.sub("(?m)^(?=.)", "9", RUN), QRELS),
    "run: judgments in its place": (QRELS, QRELS),
    "judgments: empty": (RUN, ""),
    "judgments: grade 0.7": (RUN, QRELS.replace("a 0", "a 0.7")),
    "judgments: a word as grade": (RUN, QRELS.replace("a 0", "a yes")),
    "judgments: two grades of a document": (RUN, QRELS + "1 0 a 1\n"),
    "judgments: grade 10^12": (RUN, QRELS.replace("b 1", f"b {10**12}")),
    "judgments: a column missing": (RUN, QRELS.replace("1 0 b 1", "1 b 1")),
    "judgments: a run in their place": (RUN, RUN),
}


def maxent(run: Path, qrels: Path) -> float:
    import maxent as me

    table = me.evaluate(run, qrels, measures=["AP"])
    return float(table["value"].mean())


def pytrec_eval(run: Path, qrels: Path) -> float:
    import pytrec_eval

    with qrels.open() as judged, run.open() as ranked:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(judged), {"map"})
        values = evaluator.evaluate(pytrec_eval.parse_run(ranked))
    return sum(own["map"] for own in values.values()) / len(values)


def ir_measures(run: Path, qrels: Path) -> float:
    import ir_measures

    judged, ranked = ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
    return float(ir_measures.calc_aggregate([ir_measures.AP], judged, ranked)[ir_measures.AP])


def ranx(run: Path, qrels: Path) -> float:
    import ranx

    judged, ranked = ranx.Qrels.from_file(str(qrels), kind="trec"), ranx.Run.from_file(str(run), kind="trec")
    return float(ranx.evaluate(judged, ranked, "map", make_comparable=True))


TOOLS: dict[str, Callable[[Path, Path], float]] = {
    tool.__name__: tool for tool in (maxent, pytrec_eval, ir_measures, ranx)
}


def said(message: str) -> str:
    """Outcome of an error: with its line, if the message names it."""
    line = re.search(r"(?:run|qrels):(\d+):|line (\d+)", message)
    return f"error, line {line[1] or line[2]}" if line else "error"


def work(tool: str, start: int) -> None:
    """Print the outcome of every file from ``start`` on, one in a line."""
    warnings.simplefilter("ignore")
    for run, qrels in [*FILES.values()][start:]:
        with tempfile.TemporaryDirectory() as folder:
            paths = written(run, qrels, Path(folder, "files"))
            try:
                outcome, detail = f"{TOOLS[tool](*paths):.3f}", ""
            except Exception as error:  # what tools raise is what is asked
                detail = f"{type(error).__name__}: {error}"
                outcome = said(detail)
            print(json.dumps([outcome, detail]), flush=True)


def written(run: str | bytes, qrels: str | bytes, folder: Path) -> tuple[Path, Path]:
    """Paths of files with this content in a new folder."""
    folder.mkdir()
    for name, content in (("run", run), ("qrels", qrels)):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / "run", folder / "qrels"


def of_python(tool: str) -> list[tuple[str, str]]:
    """Outcomes of a tool in a process of its own, which is started again when it crashes."""
    found: list[tuple[str, str]] = []
    while len(found) < len(FILES):
        command = [sys.executable, __file__, "--work", tool, str(len(found))]
        done = subprocess.run(command, capture_output=True, text=True)
        found += [(outcome, detail) for outcome, detail in map(json.loads, done.stdout.splitlines())]
        if len(found) < len(FILES):
            if done.returncode > 0:
                raise SystemExit(f"{tool}: {done.stderr}")
            found.append(("crash", f"signal {-done.returncode}"))
    return found


def of_trec_eval(program: Path) -> list[tuple[str, str]]:
    """Outcomes of trec_eval, whose C source is at https://github.com/usnistgov/trec_eval."""
    found = []
    for run, qrels in FILES.values():
        with tempfile.TemporaryDirectory() as folder:
            paths = written(run, qrels, Path(folder, "files"))
            command = [str(program), "-m", "map", str(paths[1]), str(paths[0])]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        value = done.stdout.split()[-1] if done.stdout.split() else ""
        if done.returncode < 0:
            found.append(("crash", f"signal {-done.returncode}"))
        elif done.returncode:
            found.append((said(done.stderr), done.stderr.strip()))
        else:
            found.append((f"{float(value):.3f}", done.stderr.strip()))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trec-eval", type=Path, metavar="FILE", help="the program; without it, it is left out")
    parser.add_argument("--details", action="store_true", help="print messages, too")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work[0], int(given.work[1]))
        sys.exit()
    outcomes = {} if given.trec_eval is None else {"trec_eval": of_trec_eval(given.trec_eval)}
    outcomes = {"maxent": of_python("maxent")} | outcomes
    outcomes |= {tool: of_python(tool) for tool in TOOLS if tool != "maxent"}
    table = pd.DataFrame(
        {tool: [outcome for outcome, _ in own] for tool, own in outcomes.items()}, index=list(FILES)
    )
    print("|", " | ".join(["wrong", *table.columns]), "|")
    print("|---" * (len(table.columns) + 1) + "|")
    for fault, row in table.iterrows():
        print("|", " | ".join([str(fault), *row]), "|")
    other = table.apply(lambda column: (column.str.fullmatch(r"[\d.]+|nan") & (column != column.iloc[0])).sum())
    print("| *other numbers* |", " | ".join(map(str, other)), "|")
    if given.details:
        for tool, own in outcomes.items():
            for fault, (outcome, detail) in zip(FILES, own, strict=True):
                if detail:
                    print(f"{tool}, {fault}: {outcome}: {detail[:300]}", file=sys.stderr)
