"""What notebooks and terminals show of values, and progress bars."""

import sys
import warnings
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm


def html_table(title: str, rows: Mapping[str, object]) -> str:
    """A title and a table of two columns, names and values, as HTML; all texts are escaped."""
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows.items()
    )
    return f"<p><b>{escape(title)}</b></p><table>{cells}</table>"


def many(number: int, word: str) -> str:
    """A number with its word: ``1 run``, ``2 runs``."""
    return f"{number} {word}{'s' if number != 1 else ''}"


def progress_bar(
    iterable: Iterable[Any] | None = None, *, unit: str, shown: bool, desc: str = "", total: int | None = None
) -> "tqdm[Any]":
    """Bar for work that takes more than two seconds: a widget in a notebook, text on a terminal, otherwise none.

    Parameters
    ----------
    iterable : iterable, optional
        What is gone through; without it, ``update`` moves the bar.
    unit, desc : str
        A step, and the work, in a word.
    shown : bool
        False for no bar.
    total : int, optional
        Number of steps.
    """
    with warnings.catch_warnings():  # tqdm warns in notebooks: of the interface, or that ipywidgets is missing
        warnings.simplefilter("ignore")
        from tqdm.autonotebook import tqdm  # as tqdm.auto, which also loads asyncio
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    notebook = hasattr(shell, "kernel")  # no terminal, but where there are no widgets it shows text, too
    hidden = not shown if notebook else (None if shown else True)
    file = sys.stdout if notebook else None  # text on standard error looks like an error there
    return tqdm(iterable, total=total, unit=unit, desc=desc or None, delay=2, disable=hidden, file=file)
