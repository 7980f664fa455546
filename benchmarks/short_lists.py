"""Ten documents a query: commands and functions on thousands of short lists, against pytrec_eval on the same files.

Generates 6,980 queries x 4 runs x 10 ranks with one or two relevant documents, as of passage retrieval. Prints:

- whole commands, one after the other in each round: seconds, processor seconds, peak memory, and how many times as
  long as pytrec_eval (medians over the rounds, of ratios too);
- the same in a warm process, from files to a table;
- with ``--many``, studies of 100,000 queries x 2 runs;
- with ``--earlier ../earlier``, a study of long lists by this version and an earlier one, in turn
  (``git worktree add ../earlier COMMIT``).
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from end_to_end import COMMAND, DATA, measured

import maxent as me

QUERIES, RUNS, RANKS = 6980, 4, 10
EVALUATED = ("AP", "nDCG@10", "P@5", "RR@10")
OF_RANKS = {"measures": ("AP", "nDCG@10", "P@5"), "model": "ranks", "min_retrieved": 1, "align": "recall"}
OF_LISTS = {"measures": ("AP", "RR", "nDCG@10"), "count": "retrieved"}
TREC_EVAL = """
import sys
from pathlib import Path
import pytrec_eval

asked = {"map", "ndcg_cut_10", "P_5", "recip_rank"}
with (Path(sys.argv[1]) / "qrels.txt").open() as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), asked)
for path in sorted(Path(sys.argv[1]).glob("run*.txt")):
    with path.open() as file:
        evaluator.evaluate(pytrec_eval.parse_run(file))
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1], file=sys.stderr)
"""


def generate(folder: Path, queries: int, runs: int) -> list[Path]:
    """Judgments and runs in TREC's formats; paths of the runs."""
    rng = np.random.default_rng(0)
    documents = rng.choice(9_000_000, size=(queries, 60))
    names = rng.choice(2_000_000, size=queries, replace=False)
    relevant = np.where(rng.random(queries) < 0.94, 1, 2)
    judged = ((k, j) for k in range(queries) for j in range(relevant[k]))
    (folder / "qrels.txt").write_text("".join(f"{names[k]} 0 {documents[k, j]} 1\n" for k, j in judged))
    paths = [folder / f"run{r}.txt" for r in range(runs)]
    for r, path in enumerate(paths):
        with path.open("w") as file:
            for k in range(queries):
                ranked = documents[k, 2 + rng.permutation(58)[:RANKS]]
                for j in range(relevant[k]):
                    if rng.random() < 0.5 + 0.1 * r:
                        ranked[min(RANKS - 1, int(rng.exponential(2.5)))] = documents[k, j]
                for n, document in enumerate(dict.fromkeys(ranked.tolist())):
                    file.write(f"{names[k]} Q0 {document} {n + 1} {20 - n} {path.stem}\n")
    return paths


def words(options: Mapping[str, object]) -> list[str]:
    """Options of a study as a command has them."""
    flags = {name: value if isinstance(value, tuple) else (value,) for name, value in options.items()}
    return [word for name, values in flags.items() for word in (f"--{name.replace('_', '-')}", *map(str, values))]


def commands(folder: Path, paths: Sequence[Path], rounds: int, *, peer: bool = True) -> pd.DataFrame:
    """Medians of whole processes: pytrec_eval, evaluate, and studies of ranks and of lists."""
    files = ["--qrels", str(folder / "qrels.txt"), "--runs", *map(str, paths)]
    kinds = {
        "pytrec_eval": (TREC_EVAL, [str(folder)]),
        "evaluate": (COMMAND, ["evaluate", *files, "--measures", *EVALUATED]),
        "study, ranks": (COMMAND, ["study", *files, *words(OF_RANKS)]),
        "study, lists": (COMMAND, ["study", *files, *words(OF_LISTS)]),
    }
    return in_turn(kinds if peer else dict(list(kinds.items())[2:]), rounds)


def in_turn(
    kinds: Mapping[str, tuple[str, Sequence[str]]], rounds: int, versions: Mapping[str, Path] | None = None
) -> pd.DataFrame:
    """Medians over rounds, in each of which all scripts run once, and of the ratios to the first."""
    here, rows = Path(me.__file__).parents[1], []
    for turn in range(rounds):
        for name, (script, argv) in kinds.items():
            with tempfile.TemporaryDirectory() as out:
                target = ["--out", out] if script is COMMAND else []
                figures = measured(script, [*argv, *target], (versions or {}).get(name, here))
            rows.append((turn, name, *figures))
    names = ["seconds", "processor", "megabytes"]
    table = pd.DataFrame(rows, columns=["turn", "command", *names])
    first = table[table["command"] == next(iter(kinds))].set_index("turn")
    for name in names[:2]:
        table[f"{name}_ratio"] = table[name] / table["turn"].map(first[name])
    return table.drop(columns="turn").groupby("command", sort=False).median().reset_index()


def warm(folder: Path, paths: Sequence[Path], rounds: int) -> pd.DataFrame:
    """Medians of processor seconds from files to a table in this process, after a first call, and ratios."""
    import pytrec_eval

    qrels = folder / "qrels.txt"

    def trec() -> pd.DataFrame:
        with qrels.open() as file:
            asked = {"map", "ndcg_cut_10", "P_5", "recip_rank"}
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), asked)
        tables = []
        for path in paths:
            with path.open() as file:
                tables.append(pd.DataFrame(evaluator.evaluate(pytrec_eval.parse_run(file))).T)
        return pd.concat(tables)

    tools: dict[str, Callable[[], object]] = {
        "pytrec_eval": trec,
        "me.evaluate": lambda: me.evaluate(paths, qrels, measures=EVALUATED),
        "me.informativeness, ranks": lambda: me.informativeness(paths, qrels, progress=False, **OF_RANKS),
        "me.informativeness, lists": lambda: me.informativeness(paths, qrels, progress=False, **OF_LISTS),
        "me.study, ranks": lambda: me.study(paths, qrels, progress=False, **OF_RANKS).table,
        "me.study, lists": lambda: me.study(paths, qrels, progress=False, **OF_LISTS).table,
    }
    rows = []
    for turn in range(rounds + 1):
        for name, tool in tools.items():
            start, before = time.perf_counter(), time.process_time()
            tool()
            rows.append((turn, name, time.perf_counter() - start, time.process_time() - before))
    table = pd.DataFrame(rows, columns=["turn", "tool", "seconds", "processor"])
    table = table[table["turn"] > 0]
    first = table[table["tool"] == "pytrec_eval"].set_index("turn")["processor"]
    table["ratio"] = table["processor"] / table["turn"].map(first)
    return table.drop(columns="turn").groupby("tool", sort=False).median().reset_index()


def long_lists(collection: Path, earlier: Path, rounds: int) -> pd.DataFrame:
    """A study of some topics of all runs of a collection, by an earlier version and this one in turn."""
    files = ["--qrels", str(collection / "qrels.txt"), "--runs", str(collection / "runs")]
    command = (COMMAND, ["study", *files, "--topics", "1-15", "--jobs", "1"])
    versions = {"earlier": earlier, "this": Path(me.__file__).parents[1]}
    return in_turn(dict.fromkeys(versions, command), rounds, versions)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--many", type=int, nargs="?", const=100_000, help="queries of a larger study of two runs")
    parser.add_argument("--earlier", type=Path, help="checkout of an earlier commit")
    parser.add_argument("--collection", type=Path, default=DATA / "covid-round4", help="of long lists")
    arguments = parser.parse_args(argv)
    shown = {"index": False, "float_format": "%.3g"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = generate(folder, arguments.queries, RUNS)
        print(commands(folder, paths, arguments.rounds).to_string(**shown), end="\n\n")
        print(warm(folder, paths, arguments.rounds).to_string(**shown), end="\n\n")
    if arguments.many:
        with tempfile.TemporaryDirectory() as name:
            paths = generate(Path(name), arguments.many, 2)
            print(commands(Path(name), paths, 1, peer=False).to_string(**shown), end="\n\n")
    if arguments.earlier:
        table = long_lists(arguments.collection, arguments.earlier, arguments.rounds)
        print(table.to_string(**shown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
