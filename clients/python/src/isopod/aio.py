"""The asyncio client. Each call runs in a thread; cancelling the call ends its thread."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Tuple,
    Type,
    TypeVar,
)

from ._abort import Abort, Aborted
from ._names import to_wire
from .client import MAX_IN_FLIGHT, Isopod, batch_item, check_in_flight, wire_job
from .models import BatchItem, Event, Job, LanguageSummary, Result

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .models import JobOptions

Answer = TypeVar("Answer")


class AsyncIsopod:
    """The same as :class:`isopod.Isopod`, with ``await``.

    Cancelling a task that awaits :meth:`run` or iterates :meth:`batch` cancels its executions;
    leaving ``async with`` waits until that is done.

    >>> async def main():
    ...     async with AsyncIsopod() as isopod:
    ...         print((await isopod.run("print(1 + 1)")).stdout)
    """

    def __init__(self, url: Optional[str] = None, key: Optional[str] = None) -> None:
        self._client = Isopod(url, key)
        # The loop's default pool has too few threads; these start on demand.
        self._pool = ThreadPoolExecutor(MAX_IN_FLIGHT, thread_name_prefix="isopod")

    async def __aenter__(self) -> AsyncIsopod:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Waits for running calls, and ends the threads."""
        await asyncio.get_running_loop().run_in_executor(None, self._pool.shutdown)

    async def submit(
        self, code: str, language: str = "python", **options: Unpack[JobOptions]
    ) -> str:
        """See :meth:`isopod.Isopod.submit`."""
        return await self._call(lambda _: self._client.submit(code, language, **options))

    async def submit_many(self, jobs: Iterable[Job]) -> List[str]:
        """See :meth:`isopod.Isopod.submit_many`."""
        return await self._call(lambda _: self._client.submit_many(jobs))

    async def run(
        self,
        code: str,
        language: str = "python",
        *,
        wait: Optional[float] = None,
        **options: Unpack[JobOptions],
    ) -> Result:
        """See :meth:`isopod.Isopod.run`. Cancelling the task cancels the execution."""
        wire = wire_job(code, language, options)
        return await self._call(lambda abort: self._client._run(wire, wait, abort))

    async def wait(self, id: str, timeout: Optional[float] = None) -> Result:
        """See :meth:`isopod.Isopod.wait`."""
        return await self._call(lambda abort: self._client._wait(id, timeout, abort))

    async def result(self, id: str) -> Optional[Result]:
        """See :meth:`isopod.Isopod.result`."""
        return await self._call(lambda _: self._client.result(id))

    async def state(self, id: str) -> str:
        """See :meth:`isopod.Isopod.state`."""
        return await self._call(lambda _: self._client.state(id))

    async def cancel(self, id: str) -> str:
        """See :meth:`isopod.Isopod.cancel`."""
        return await self._call(lambda _: self._client.cancel(id))

    async def cancel_jobs(self, **jobs: Optional[str]) -> Dict[str, int]:
        """See :meth:`isopod.Isopod.cancel_jobs`."""
        return await self._call(lambda _: self._client.cancel_jobs(**jobs))

    async def jobs(self, *, limit: int = 100, **jobs: Optional[str]) -> List[Dict[str, Any]]:
        """See :meth:`isopod.Isopod.jobs`."""
        return await self._call(lambda _: self._client.jobs(limit=limit, **jobs))

    async def languages(self) -> List[LanguageSummary]:
        """See :meth:`isopod.Isopod.languages`."""
        return await self._call(lambda _: self._client.languages())

    async def queue(self) -> Dict[str, Any]:
        """See :meth:`isopod.Isopod.queue`."""
        return await self._call(lambda _: self._client.queue())

    async def events(self, id: str, after: Optional[str] = None) -> AsyncIterator[Event]:
        """See :meth:`isopod.Isopod.events`."""
        abort = Abort()
        events = self._client._events(id, after, abort)
        try:
            while True:
                event = await self._call(lambda _: _next(events), abort)
                if event is None:
                    return
                yield event
        finally:
            abort.set()
            # A thread that still reads the events closes them.
            with suppress(ValueError):
                events.close()

    async def batch(self, jobs: Iterable[Job], *, in_flight: int = 32) -> AsyncIterator[BatchItem]:
        """See :meth:`isopod.Isopod.batch`."""
        check_in_flight(in_flight)
        pending: Dict[asyncio.Task[Result], Tuple[int, Job]] = {}
        numbered = enumerate(jobs)
        try:
            while True:
                while len(pending) < in_flight:
                    index, job = next(numbered, (-1, None))
                    if job is None:
                        break
                    pending[asyncio.ensure_future(self._run_in_batch(job))] = (index, job)
                if not pending:
                    return
                done, _ = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield batch_item(*pending.pop(task), task.result)
        finally:
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)

    async def _run_in_batch(self, job: Job) -> Result:
        wire = to_wire(job)
        return await self._call(lambda abort: self._client._run_in_batch(wire, abort))

    async def _call(
        self, function: Callable[[Abort], Answer], abort: Optional[Abort] = None
    ) -> Answer:
        abort = abort or Abort()
        future = self._pool.submit(function, abort)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            abort.set()
            raise


def _next(events: Iterator[Event]) -> Optional[Event]:
    try:
        return next(events, None)
    except Aborted:
        return None
