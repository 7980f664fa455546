"""Selection of topics by a text."""

import re
from collections.abc import Iterable, Sequence

from maxent.errors import InputError, quoted
from maxent.texts import many

_RANGE = re.compile(r"(?P<prefix>.*?)(?P<low>[0-9]{1,18})\s*-\s*(?P=prefix)(?P<high>[0-9]{1,18})")
_DECIMAL = re.compile(r"[0-9]{1,18}")
_NAMED = 6  # topics that an error names


def select_topics(spec: str, available: Sequence[str]) -> tuple[str, ...]:
    """Select topics by a text such as ``601-650,700,qtest2014.3``.

    Parameters
    ----------
    spec : str
        Ids and inclusive numeric ranges, separated by commas. A range may have a prefix: ``qtest.1-qtest.50``. An
        available id is taken literally, even if it looks like a range.
    available : sequence of str
        Topics to select from. A range selects topics that consist of its prefix and a number within it.

    Returns
    -------
    tuple of str
        The selected topics, in the order of ``available``.

    Raises
    ------
    InputError
        If an id is not available, or a range contains no available topic.

    Examples
    --------
    >>> import maxent as me
    >>> me.data.select_topics("601-603,q.2-q.9", ["601", "602", "604", "q.1", "q.3"])
    ('601', '602', 'q.3')
    """
    if not isinstance(spec, str):
        raise InputError(f"topics {quoted(spec)}: expected a text such as 601-650,700")
    if isinstance(available, str) or not all(isinstance(topic, str) for topic in available):
        raise InputError("available: expected ids of topics, which are texts")
    chosen: set[str] = set()
    for part in map(str.strip, spec.split(",")):
        limits = _RANGE.fullmatch(part)
        matches = {part}.intersection(available)
        if not matches and limits is not None:
            prefix, low, high = limits["prefix"], int(limits["low"]), int(limits["high"])
            for topic in available:
                number = topic.removeprefix(prefix)
                if topic.startswith(prefix) and _DECIMAL.fullmatch(number) and low <= int(number) <= high:
                    matches.add(topic)
        if not matches:
            description = f"in the range {part!r}" if limits is not None else repr(part)
            raise InputError(f"topics {spec!r}: no topic is {description}; there are {name_some(available)}")
        chosen |= matches
    return tuple(topic for topic in dict.fromkeys(available) if topic in chosen)


def name_some(topics: Sequence[str]) -> str:
    """The first topics and the last one, and how many there are."""
    names = list(dict.fromkeys(topics))
    shown = names if len(names) <= _NAMED else [*names[: _NAMED - 1], "...", names[-1]]
    return f"{many(len(names), 'topic')}: {', '.join(shown)}" if names else "none"


def wanted_topics(topics: Iterable[str], available: Sequence[str], source: str) -> set[str]:
    """Topics given by ids or a text; InputError for one that the ``source``, such as the qrels, does not have."""
    if not isinstance(topics, Iterable):
        raise InputError(f"topics is {quoted(topics)}, expected several ids")
    if isinstance(topics, str):
        topics = select_topics(topics, available)
    wanted = {str(topic) for topic in topics}
    if unknown := wanted.difference(available):
        raise InputError(f"topics: {source} no topic {min(unknown)!r}; there are {name_some(available)}")
    return wanted
