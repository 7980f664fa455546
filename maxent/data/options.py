"""Options of reading runs and judgments, which all analyses share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, TypedDict

from maxent.data.trec import Duplicates
from maxent.options import Default, options_of


class ListOptions(TypedDict, total=False):
    """How lists are read.

    depth : int, optional
        Length of the lists: longer lists are cut, shorter ones are padded with grade 0. Default: the length of the
        longest list or, where distributions are inferred, the median length of the lists; at most 1000.
    levels : int, optional
        Highest grade of the scale; default: the highest grade in the judgments. Set it for a part of a collection
        that may lack the top grade.
    duplicates : {"error", "first"}
        A document that occurs twice in a topic is an error, or only its first line counts. Equal judgments are
        no error.
    allow_unjudged : bool
        Accept a run without any judged document, which scores 0; by default it is an error.
    ignore_identical_ids : bool
        Remove documents whose id is that of the topic, for collections in which queries are documents.
    float32 : bool
        Compare scores in single precision, as trec_eval up to version 9 does.
    jobs : int
        Number of threads for reading and solving; solvers other than ``newton`` use processes.
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
    """The topics to use.

    topics : iterable of str or text, optional
        Topics to use, also as text such as ``601-650,700``; default: all topics of the judgments.
    """

    topics: Annotated[Iterable[str] | None, Default(None, __doc__)]


class ScaleOptions(TypedDict, total=False):
    """Grades of ratings on another scale.

    grades : mapping from int to int, optional
        Grade of each rating, such as ``{1: 0, 2: 1, 3: 2}``; see :func:`maxent.data.as_qrels`.
    bins : sequence of float, optional
        Lower bounds of the grades 1, 2, ... for real-valued ratings, increasing: the grade is the number of bounds
        that a rating reaches.
    """

    grades: Annotated[Mapping[int, int] | None, Default(None, __doc__)]
    bins: Annotated[Sequence[float] | None, Default(None, __doc__)]


class CollectOptions(ListOptions, TopicOptions, ScaleOptions, total=False):
    """Options of :func:`maxent.collect`."""


READING_OPTIONS = options_of(CollectOptions)
"""Every option of reading by its name: default, type in words, explanation."""
