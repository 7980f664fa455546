"""Progress bars: widgets in notebooks that support them, text elsewhere."""

import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm


def progress_bar(
    iterable: Iterable[Any] | None = None,
    *,
    unit: str,
    shown: bool,
    desc: str = "",
    total: int | None = None,
    slow: bool = False,
) -> "tqdm[Any]":
    """Progress bar for work of more than two seconds, or with ``slow`` parts: a widget in a notebook, else text.

    The bar disappears when the work ends. If the work fails, a notebook keeps the bar and shows it in red.
    """
    with warnings.catch_warnings():  # tqdm warns in notebooks: of the interface, or that ipywidgets is missing
        warnings.simplefilter("ignore")
        from tqdm.autonotebook import tqdm  # as tqdm.auto, which also loads asyncio
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    notebook = hasattr(shell, "kernel")  # no terminal, but where there are no widgets it shows text, too
    hidden = not shown if notebook else (None if shown else True)
    file = sys.stdout if notebook else None  # text on standard error looks like an error there
    return tqdm(
        iterable, total=total, unit=unit, desc=desc or None, delay=0 if slow else 2, disable=hidden, file=file,
        leave=False,
    )  # fmt: skip
