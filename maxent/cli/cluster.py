"""A Dask cluster as workers, through joblib's back end."""

import asyncio
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from maxent.errors import WorkerError, missing_package

PROCESSORS = 500  # assumed by joblib, which submits twice as many calls at once; more would overload the scheduler
SECONDS = 5  # timeout of the connection to a scheduler
LOGGING = ("distributed", "tornado", "asyncio")  # packages whose logs say what an error says in one line


@contextmanager
def connected(address: str | None) -> Iterator[None]:
    """Within the block, joblib uses the cluster of the Dask scheduler at ``address``; None changes nothing."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise missing_package("a cluster", error, "'dask[distributed]'") from error
    from joblib import parallel_config

    with silenced(LOGGING):
        try:
            asyncio.run(_greet(address))
            client = Client(address, timeout=SECONDS, set_as_default=False)
        except Exception as error:  # Dask raises many kinds, for addresses and for answers of other programs
            reason = str(error) or type(error).__name__
            raise WorkerError(f"no Dask scheduler answers at {address}: {reason}") from None
        with client, parallel_config(_back_end(client)):
            if not client.ncores():
                print(f"the Dask scheduler at {address} has no workers yet: waiting for them", file=sys.stderr)
            yield


@contextmanager
def silenced(packages: Sequence[str]) -> Iterator[None]:
    """Within the block, the loggers of some packages log nothing; those of other packages do."""
    loggers = [
        logger
        for name, logger in list(logging.root.manager.loggerDict.items())
        if isinstance(logger, logging.Logger) and name.partition(".")[0] in packages and not logger.disabled
    ]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger in loggers:
            logger.disabled = False


def _back_end(client: Any) -> Any:
    """Joblib's back end for Dask, changed to use workers that join later.

    The original waits for the first worker, works in this process if there is only one, and otherwise never submits
    more tasks than the workers at the start can handle.
    """
    from joblib._dask import DaskDistributedBackend

    class Elastic(DaskDistributedBackend):  # type: ignore[misc]  # joblib has no types
        def effective_n_jobs(self, n_jobs: int) -> int:
            return PROCESSORS

    return Elastic(client=client)


async def _greet(address: str) -> None:
    """Ask the scheduler who it is: a client would wait for ever for something else that listens there."""
    from distributed.comm import connect
    from distributed.security import Security

    async with asyncio.timeout(SECONDS):
        comm = await connect(address, timeout=SECONDS, **Security().get_connection_args("client"))
        try:
            await comm.write({"op": "identity", "reply": True})
            await comm.read()
        finally:
            comm.abort()
