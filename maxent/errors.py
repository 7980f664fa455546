"""The errors a user of this library meets."""


class MaxentError(ValueError):
    """Base of every error the library raises on purpose; its message says what to change."""


class InputError(MaxentError):
    """A run, a relevance file or a table that cannot be read; names file, line and value."""


class MeasureError(MaxentError):
    """A measure that does not exist, has bad parameters, or does not fit the topic's grades."""


class ProblemError(MaxentError):
    """A maximum-entropy problem that makes no sense as stated."""
