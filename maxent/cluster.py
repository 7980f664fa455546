"""More than one machine: the Dask cluster that is in use, and results of its workers as they come.

Every piece of data travels once, with its task, through the scheduler, which has it until the task is done. So a
worker may go away at any moment: what it was at is given to another.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import TYPE_CHECKING, Any

from maxent.errors import ClusterError, MissingPackageError

if TYPE_CHECKING:
    from distributed import Client, Future

SECONDS = 5  # for which a scheduler is looked for
AHEAD = 1000  # tasks that the scheduler has at most: enough for as many processors, and no load for its memory


@contextmanager
def connected(address: str | None) -> Iterator[None]:
    """Within the block studies run on the cluster of a Dask scheduler; with None, where they would run anyway.

    Parameters
    ----------
    address : str or None
        Address of the scheduler, such as ``tcp://10.0.0.1:8786``.

    Raises
    ------
    MissingPackageError
        If Dask is not installed.
    ClusterError
        If no scheduler answers at the address within some seconds.
    """
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        message = f"a cluster needs {error.name}, which is missing: pip install 'dask[distributed]'"
        raise MissingPackageError(message) from error
    before = logging.root.manager.disable
    logging.disable()  # Dask's logs: errors say it in one line
    try:
        try:
            asyncio.run(_greet(address))
            client = Client(address, timeout=SECONDS, set_as_default=False)
        except Exception as error:  # whatever Dask makes of an address, and of what something else answers
            reason = str(error) or type(error).__name__
            raise ClusterError(f"no Dask scheduler answers at {address}: {reason}") from None
        with client, client.as_current():
            yield
    finally:
        logging.disable(before)


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


def active_client() -> "Client | None":
    """Client of the Dask cluster that is in use: that of joblib's back end, or the current one of Dask.

    There is none in a task of Dask, which has its processor already, nor in an asynchronous program, nor where
    ``joblib.parallel_config`` asks for another back end than the default.

    Raises
    ------
    ClusterError
        If scheduler or workers do not have this version of the package, or the scheduler has gone away.
    """
    if sys.modules.get("distributed") is None:
        return None
    from distributed import default_client
    from distributed.utils import thread_state
    from joblib.parallel import LokyBackend, get_active_backend

    if hasattr(thread_state, "execution_state"):
        return None
    backend, _ = get_active_backend()
    client: Client | None = getattr(backend, "client", None)
    if isinstance(backend, LokyBackend):
        with suppress(ValueError):  # there is none
            client = default_client()
    if client is None or client.asynchronous:
        return None
    _check_versions(client)
    return client


def as_they_come(
    client: "Client", function: Callable[..., Any], pieces: Iterable[tuple[Any, ...]]
) -> Iterator[tuple[int, Any]]:
    """Results of a function, each with the number of its piece, in the order in which workers finish them.

    Parameters
    ----------
    client : distributed.Client
        From :func:`active_client`.
    function : callable
        It must be importable on the workers.
    pieces : iterable of tuples
        Arguments of the calls; futures of Dask among them stand for their results.

    Raises
    ------
    ClusterError
        If the scheduler goes away, a worker has another version, or workers die again and again.
    """
    from distributed import as_completed

    numbers: dict[Future, int] = {}
    done, left, expected = as_completed(loop=client.loop), enumerate(pieces), version("maxent")

    def send(most: int) -> None:
        if client.status != "running":
            raise _gone(client)
        for number, piece in islice(left, most):
            future = client.submit(_on_worker, expected, function, *piece, pure=False)
            numbers[future] = number
            done.add(future)

    try:
        send(AHEAD)
        for future in done:
            number = numbers.pop(future)
            yield number, _result(client, future)
            send(1)
    finally:
        if numbers and client.status == "running":
            client.cancel(list(numbers))


def kept(client: "Client", pieces: Iterable[Any]) -> "list[Future]":
    """Pieces of data on the workers, for several rounds of :func:`as_they_come`.

    They are results of tasks, not scattered: what is lost with a worker, the scheduler gives to another one.
    """
    return [client.submit(_itself, piece, pure=False) for piece in pieces]


def _itself(piece: Any) -> Any:
    return piece


def _on_worker(expected: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in the same version of the package; a worker may come long after the start."""
    if (found := version("maxent")) != expected:
        raise ClusterError(f"a worker has maxent {found}, expected {expected}, as here")
    return function(*arguments)


def _result(client: "Client", future: "Future") -> Any:
    """Result of a task that is done, or its error."""
    from distributed.scheduler import KilledWorker

    own = future.status == "error"
    try:
        return future.result()
    except KilledWorker as error:
        last = error.last_worker.address
        message = f"workers died again and again at one task, perhaps for lack of memory, the last at {last}"
        raise ClusterError(f"{message}: see their logs") from None
    except (OSError, CancelledError) as error:
        if own:
            raise
        raise _gone(client) from error


def _check_versions(client: "Client") -> None:
    """Raise an error if scheduler or workers have another version, or lack the package."""
    if client.status != "running":
        raise _gone(client)
    expected, scheduler = version("maxent"), _scheduler(client)
    try:
        found = client.run(version, "maxent", on_error="return")
        found[scheduler] = client.run_on_scheduler(version, "maxent")
    except PackageNotFoundError as error:
        found = {scheduler: error}
    except (OSError, CancelledError) as error:
        raise _gone(client) from error
    for where, each in found.items():  # a worker that has just gone away has another error, and does not matter
        if isinstance(each, PackageNotFoundError):
            raise ClusterError(f"{where} lacks maxent, expected maxent {expected}, as here")
        if isinstance(each, str) and each != expected:
            raise ClusterError(f"{where} has maxent {each}, expected {expected}, as here")
    if len(found) == 1:
        print(f"{scheduler} has no workers yet: waiting for them", file=sys.stderr)


def _gone(client: "Client") -> ClusterError:
    return ClusterError(f"{_scheduler(client)} has gone away, or cannot be reached any more")


def _scheduler(client: "Client") -> str:
    return f"the Dask scheduler at {client.scheduler.address}" if client.scheduler else "the Dask scheduler"
