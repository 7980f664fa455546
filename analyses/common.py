"""What the analyses share: the collections, the options of the command line, and results in files."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from tqdm import tqdm

import maxent as me
from maxent.cli.cluster import connected
from maxent.errors import MaxentError
from maxent.options import ReadingName
from maxent.workers import each_result

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ALL = ("robust03", "covid-round4", "clef2014")
STICK = "broken stick (no content)"
STICKS = (me.BrokenStick(), me.BrokenStick(gain="linear"))


def read(folder: Path) -> tuple[dict[str, Path], pd.DataFrame]:
    """Run files by name and judgments of one collection folder (qrels.txt, runs/)."""
    if not folder.is_dir():
        raise SystemExit(f"no collection at {folder}: name the folder of the collections with --data")
    runs = {path.name.removesuffix(".gz"): path for path in sorted((folder / "runs").iterdir())}
    return runs, me.read_qrels(folder / "qrels.txt")


def spaced(runs: dict[str, Path], number: int | None) -> dict[str, Path]:
    """So many of the runs, from the first by name to the last at even distances; None: all."""
    if number is None:
        return runs
    names = sorted(runs)
    places = np.linspace(0, len(names) - 1, min(number, len(names))).round()
    return {names[int(k)]: runs[names[int(k)]] for k in places}


def study(
    folder: Path,
    measures: Sequence[me.measures.Measure],
    *,
    reading: ReadingName = "papers",
    jobs: int = 2,
    depth: int = 1000,
) -> pd.DataFrame:
    """Informativeness of measures on one collection folder."""
    return me.informativeness(*read(folder), measures=measures, reading=reading, jobs=jobs, depth=depth)


def with_stick(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of a study with one of ``STICKS`` as ``STICK``: that with the smaller mean error over the thresholds."""
    sticks = rows[rows["measure"].isin(list(map(str, STICKS)))]
    by_threshold = sticks.groupby(["measure", "threshold"])["rms"].mean()
    better = by_threshold.groupby("measure").mean().idxmin()
    worse = set(sticks["measure"]) - {better}
    shown = rows[~rows["measure"].isin(worse)]
    return shown.assign(measure=shown["measure"].replace({better: STICK}))


def matched(g: tuple[float, ...]) -> me.nDCG:
    """The nDCG that has the gains of GAP(g), G_i = g_1 + ... + g_i."""
    return me.nDCG(gain=tuple(np.cumsum(g).tolist()))


def by_collection(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Tables below each other, with the name of the collection in a first column ``collection``."""
    return pd.concat(tables, names=["collection"]).reset_index("collection").reset_index(drop=True)


def options(
    description: str | None, *, collections: Sequence[str] = (), studies: bool = True, depth: bool = True
) -> argparse.ArgumentParser:
    """Options of an analysis: --out, which collections it reads and, if it studies them, to what depth and how."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the table and the figure")
    if collections:
        parser.add_argument("--data", type=Path, default=DATA, help="folder of the collections")
        parser.add_argument("--collections", nargs="+", default=list(collections))
    if collections and studies:
        parser.add_argument("--jobs", type=int, default=2)
        if depth:
            parser.add_argument("--depth", type=int, default=1000, help="ranks of each list that are read")
        parser.add_argument("--cluster", metavar="ADDRESS", help="solve on the workers of this Dask scheduler")
    return parser


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments of ``compute``: all but those that say where."""
    return {name: value for name, value in vars(arguments).items() if name not in ("out", "cluster")}


@contextmanager
def started(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> Iterator[argparse.Namespace]:
    """Arguments of an analysis that is the block: on the cluster of --cluster, and with its errors in one line."""
    arguments = parser.parse_args(argv)
    try:
        with connected(getattr(arguments, "cluster", None)):
            yield arguments
    except MaxentError as error:
        parser.error(str(error))


def in_processes(
    function: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], *, jobs: int, desc: str, unit: str
) -> list[Any]:
    """Results of a function for pieces of work, in their order."""
    found = each_result(function, pieces, total=len(pieces), jobs=jobs, threads=False)
    by_number = dict(tqdm(found, total=len(pieces), desc=desc, unit=unit, delay=2, disable=None))
    return [by_number[number] for number in range(len(pieces))]


def write(
    out: Path, name: str, figure: Figure, tables: Mapping[str, pd.DataFrame], *, dpi: int = 120, svg: bool = False
) -> None:
    """Write tables as NAME + key + .csv, and the figure as NAME.png and, if wanted, NAME.svg."""
    out.mkdir(parents=True, exist_ok=True)
    for key, table in tables.items():
        table.to_csv(out / f"{name}{key}.csv", index=False)
    for suffix in ("png", "svg") if svg else ("png",):
        figure.savefig(out / f"{name}.{suffix}", dpi=dpi)
