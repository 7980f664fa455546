"""Progress bars: widgets in notebooks that support them, text elsewhere."""

import os
import sys
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
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    is_notebook = hasattr(shell, "kernel")  # no terminal, but where there are no widgets it shows text, too
    disable = None if shown else True  # None: shown on a terminal only
    if is_notebook:
        disable = not shown
    return _bar(is_notebook)(
        iterable,
        total=total,
        unit=unit,
        desc=desc or None,
        delay=0 if slow else 2,
        disable=disable,
        file=sys.stdout if is_notebook else None,  # text on standard error looks like an error there
        leave=False,
    )


def _bar(is_notebook: bool) -> "type[tqdm[Any]]":
    """A widget or a bar of text: the choice of ``tqdm.autonotebook``, whose import warns."""
    is_spyder = any(name == "QT_API" or name.startswith("SPYDER") for name in os.environ)  # which has no widgets
    if is_notebook and not is_spyder:
        import tqdm.notebook as widgets

        if widgets.IProgress is not None:  # type: ignore[attr-defined]
            return widgets.tqdm
    from tqdm.std import tqdm

    return tqdm
