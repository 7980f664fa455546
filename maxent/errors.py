"""Errors that the package raises on purpose."""


class MaxentError(ValueError):
    """Base of every error that the package raises on purpose; the message says what to change."""


class MissingPackageError(MaxentError, ImportError):
    """A package that is needed for what was asked is not installed; the message says how to install it."""


class InputError(MaxentError):
    """Files, tables or numbers that cannot be used; the message names the place (file and line) and the value."""


class MeasureError(MaxentError):
    """A measure that does not exist, has impossible parameters, or does not fit the grades of the topic."""


class ProblemError(MaxentError):
    """A maximum-entropy problem, a study or a curve that makes no sense as stated."""
