"""Options of reading runs and judgments, which all analyses share."""

from collections.abc import Iterable
from typing import Annotated, TypedDict

from maxent.data.trec import Duplicates
from maxent.options import Option, options_of


class ListOptions(TypedDict, total=False):
    """How lists are read."""

    depth: Annotated[
        int, Option(1000, "int", "Length of the lists, N: longer lists are cut, shorter ones padded with grade 0.")
    ]
    levels: Annotated[
        int | None,
        Option(
            None,
            "int, optional",
            "Highest grade of the scale; default: that of the whole qrels. Give it for a part of a collection that "
            "may lack the top grade.",
        ),
    ]
    duplicates: Annotated[
        Duplicates,
        Option(
            "error",
            '{"error", "first"}',
            "What becomes of a document that a topic lists twice: an error, or its first line counts.",
        ),
    ]
    float32: Annotated[
        bool, Option(False, "bool", "Compare scores in single precision, as trec_eval does up to version 9.")
    ]
    jobs: Annotated[
        int,
        Option(
            1,
            "int",
            "Number of threads that read files and solve lists; solvers other than ``newton`` use processes.",
        ),
    ]
    progress: Annotated[
        bool,
        Option(True, "bool", "Show a progress bar on a terminal or in a notebook after two seconds."),
    ]


class TopicOptions(TypedDict, total=False):
    """Which topics are used."""

    topics: Annotated[
        Iterable[str] | None, Option(None, "iterable of str, optional", "Topics to use; default: all of the qrels.")
    ]


class CollectOptions(ListOptions, TopicOptions, total=False):
    """Options of :func:`maxent.collect`."""


LISTS = options_of(CollectOptions)
