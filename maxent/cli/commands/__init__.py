"""One module for each command: ``DESCRIPTION``, its arguments (``add``), and what it finds (``run``)."""
