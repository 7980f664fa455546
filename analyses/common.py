"""What the analyses share: the collections, the options of the command line, and results in files."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

import maxent as me

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ALL = ("robust03", "covid-round4", "clef2014")


def read(folder: Path) -> tuple[dict[str, Path], pd.DataFrame]:
    """Run files by name and judgments of one collection folder (qrels.txt, runs/)."""
    if not folder.is_dir():
        raise SystemExit(f"no collection at {folder}: name the folder of the collections with --data")
    runs = {path.name.removesuffix(".gz"): path for path in sorted((folder / "runs").iterdir())}
    return runs, me.read_qrels(folder / "qrels.txt")


def study(folder: Path, measures: Sequence[me.Measure], *, jobs: int = 2) -> pd.DataFrame:
    """Informativeness of measures on one collection folder."""
    return me.informativeness(*read(folder), measures=measures, jobs=jobs)


def by_collection(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Tables below each other, with the name of the collection in a first column ``collection``."""
    return pd.concat(tables, names=["collection"]).reset_index("collection").reset_index(drop=True)


def options(description: str | None, *, collections: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Options of an analysis: --out and, where it studies collections, which ones, where they are, and --jobs."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the table and the figure")
    if collections:
        parser.add_argument("--data", type=Path, default=DATA, help="folder of the collections")
        parser.add_argument("--collections", nargs="+", default=list(collections))
        parser.add_argument("--jobs", type=int, default=2)
    return parser


def write(
    out: Path, name: str, figure: Figure, tables: Mapping[str, pd.DataFrame], *, dpi: int = 120, svg: bool = False
) -> None:
    """Write tables as NAME + key + .csv, and the figure as NAME.png and, if wanted, NAME.svg."""
    out.mkdir(parents=True, exist_ok=True)
    for key, table in tables.items():
        table.to_csv(out / f"{name}{key}.csv", index=False)
    for suffix in ("png", "svg") if svg else ("png",):
        figure.savefig(out / f"{name}.{suffix}", dpi=dpi)
