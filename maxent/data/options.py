"""Options of reading runs and judgments, which all analyses share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, TypedDict

from maxent.data.trec import Duplicates
from maxent.options import Default, options_of


class ListOptions(TypedDict, total=False):
    """How lists are read.

    depth : int, optional
        Length of the lists, N: longer lists are cut, shorter ones padded with grade 0; default: that of the longest
        list of the runs, at most 1000.
    levels : int, optional
        Highest grade of the scale; default: that of the whole qrels. Give it for a part of a collection that may
        lack the top grade.
    duplicates : {"error", "first"}
        What becomes of a document that a topic lists twice: an error, or its first line counts. Equal judgments
        are one.
    allow_unjudged : bool
        Accept a run of which no document is judged in any topic. It scores 0; by default it is an error.
    ignore_identical_ids : bool
        Leave out of runs each document that has the id of its topic: the query itself, where queries are documents.
    float32 : bool
        Compare scores in single precision, as trec_eval does up to version 9.
    jobs : int
        Number of threads that read files and solve lists; solvers other than ``newton`` use processes.
    progress : bool
        Show a progress bar on a terminal or in a notebook after two seconds.
    """

    depth: Annotated[int | None, Default(None, __doc__)]
    levels: Annotated[int | None, Default(None, __doc__)]
    duplicates: Annotated[Duplicates, Default("error", __doc__)]
    allow_unjudged: Annotated[bool, Default(False, __doc__)]
    ignore_identical_ids: Annotated[bool, Default(False, __doc__)]
    float32: Annotated[bool, Default(False, __doc__)]
    jobs: Annotated[int, Default(1, __doc__)]
    progress: Annotated[bool, Default(True, __doc__)]


class TopicOptions(TypedDict, total=False):
    """Which topics are used.

    topics : iterable of str or text, optional
        Topics to use, also as in ``601-650,700``; default: all of the qrels.
    """

    topics: Annotated[Iterable[str] | None, Default(None, __doc__)]


class ScaleOptions(TypedDict, total=False):
    """Which grades ratings on another scale have.

    grades : mapping from int to int, optional
        Grade of each rating, such as ``{1: 0, 2: 1, 3: 2}``; see :func:`maxent.data.as_qrels`.
    bins : sequence of float, optional
        For real-valued ratings: the grade is the number of these that a rating reaches.
    """

    grades: Annotated[Mapping[int, int] | None, Default(None, __doc__)]
    bins: Annotated[Sequence[float] | None, Default(None, __doc__)]


class CollectOptions(ListOptions, TopicOptions, ScaleOptions, total=False):
    """Options of :func:`maxent.collect`."""


READING_OPTIONS = options_of(CollectOptions)
"""Every option of reading by its name: default, type in words, explanation."""
