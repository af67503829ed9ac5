"""The blocking client of a gateway."""

from __future__ import annotations

import json
import logging
import time
import uuid
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import suppress
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generator,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Tuple,
    TypeVar,
)
from urllib.parse import quote, urlencode

from ._abort import Abort
from ._environment import open_transport
from ._names import snake_names, to_wire
from ._sse import events_of
from .errors import InvalidJobError, IsopodError, RateLimitError, UnavailableError, WaitTimeoutError
from .models import BatchItem, Event, Job, LanguageSummary, Result, event_of, result_of

if TYPE_CHECKING:
    # Only type checkers import it.
    from typing_extensions import Unpack

    from .models import JobOptions

Answer = TypeVar("Answer")

# How long one request waits for a result; the gateway allows 60.
POLL_SECONDS = 50.0
# How long repeatable calls are retried while the gateway is unavailable.
RETRY_SECONDS = 30.0
# Maximum silence of a stream; the gateway sends something every 15 s.
SILENCE_SECONDS = 60.0
# How long the gateway may take to cancel many executions.
CANCEL_SECONDS = 600.0
MAX_IN_FLIGHT = 1000
_LOG = logging.getLogger("isopod")


class Isopod:
    """A client of one gateway. It holds no connection, and threads may share it.

    :param url: of the gateway; without it ``ISOPOD_URL``, or ``http://127.0.0.1:8007``
    :param key: API key; without it, and without ``url``, ``ISOPOD_API_KEY``

    >>> Isopod().run("print(1 + 1)").stdout
    '2\\n'
    """

    def __init__(self, url: Optional[str] = None, key: Optional[str] = None) -> None:
        self._transport = open_transport(url, key)

    def submit(self, code: str, language: str = "python", **options: Unpack[JobOptions]) -> str:
        """Enqueues one job and returns its id; logs a warning if no worker is running.

        :raises InvalidJobError: naming each wrong field; nothing was enqueued
        """
        return self._submit(wire_job(code, language, options))

    def submit_many(self, jobs: Iterable[Job]) -> List[str]:
        """Enqueues up to 1,000 jobs in one request; if one is invalid, none is."""
        body = {"jobs": [to_wire(job) for job in jobs]}
        return list(self._transport.request("POST", "/v1/executions/many", body)["ids"])

    def run(
        self,
        code: str,
        language: str = "python",
        *,
        wait: Optional[float] = None,
        **options: Unpack[JobOptions],
    ) -> Result:
        """Runs one program and waits for its result. An interrupt (Ctrl-C) cancels it.

        :param wait: seconds after which it is cancelled, including its time in the queue
        :raises InvalidJobError: naming each wrong field; nothing was enqueued
        :raises WaitTimeoutError: if it was cancelled because of ``wait``
        """
        return self._run(wire_job(code, language, options), wait, Abort())

    def wait(self, id: str, timeout: Optional[float] = None) -> Result:
        """Waits for a result, also across a restart of the gateway.

        :raises WaitTimeoutError: after ``timeout`` seconds; the execution continues
        """
        return self._wait(id, timeout, Abort())

    def result(self, id: str) -> Optional[Result]:
        """The result of an execution; None while it is not finished."""
        found = self._read(id)["result"]
        return None if found is None else result_of(found)

    def state(self, id: str) -> str:
        """``waiting``, ``running`` or ``finished``."""
        return str(self._read(id)["state"])

    def cancel(self, id: str) -> str:
        """Cancels an execution: ``cancelled``, ``requested``, or ``finished`` if it had ended."""
        return str(self._transport.request("DELETE", _path(id))["outcome"])

    def cancel_jobs(
        self,
        *,
        batch_id: Optional[str] = None,
        label: Optional[str] = None,
        reply_to: Optional[str] = None,
    ) -> Dict[str, int]:
        """Cancels all executions that agree with each given argument; needs at least one.

        :param label: ``name=value``
        :returns: ``cancelled``, those that waited, and ``requested``, those that ran
        """
        query = _filter(batch_id, label, reply_to)
        found = self._transport.request("DELETE", f"/v1/executions?{query}", wait=CANCEL_SECONDS)
        return {name: int(found[name]) for name in ("cancelled", "requested")}

    def jobs(
        self,
        *,
        batch_id: Optional[str] = None,
        label: Optional[str] = None,
        reply_to: Optional[str] = None,
        limit: int = 100,
    ) -> List[Dict[str, Any]]:
        """The first executions that run or wait: ``id``, ``state``, ``submitted_at`` and so on.

        :param label: ``name=value``
        :param limit: up to 1,000
        """
        query = f"limit={limit}&{_filter(batch_id, label, reply_to)}"
        found = self._transport.request("GET", f"/v1/queue/executions?{query}")["executions"]
        return [{snake_names(name): value for name, value in each.items()} for each in found]

    def events(self, id: str, after: Optional[str] = None) -> Iterator[Event]:
        """Yields the events of an execution as they happen; ``finished`` is the last one.

        Output and verdicts need a job that was submitted with ``stream=True``. Resumes a broken
        connection.

        :param after: id of an event; only later events are yielded
        """
        return self._events(id, after, Abort())

    def batch(
        self, jobs: Iterable[Job], *, in_flight: int = 32
    ) -> Generator[BatchItem, None, None]:
        """Runs many jobs and yields each when it finishes. Leaving the loop cancels the rest.

        Takes the next job from ``jobs`` when another finishes. Yields a refused job with its
        ``error``. Waits while the queue or the key's budget is full.

        :param in_flight: jobs at once, up to 1,000; each waits in a thread
        """
        check_in_flight(in_flight)
        return self._batch(iter(jobs), in_flight)

    def languages(self) -> List[LanguageSummary]:
        """The languages that workers offer."""
        found = self._transport.request("GET", "/v1/languages")["languages"]
        return [
            LanguageSummary(
                each["name"], each["version"], each["aliases"], each.get("missingImage")
            )
            for each in found
        ]

    def queue(self) -> Dict[str, Any]:
        """How full the queue is: ``waiting``, ``running``, ``workers``, ``slots`` and so on."""
        found = self._transport.request("GET", "/v1/queue")
        return {snake_names(name): value for name, value in found.items()}

    def _submit(self, wire: Mapping[str, Any]) -> str:
        answer = self._transport.request("POST", "/v1/executions", wire)
        if "warning" in answer:
            _LOG.warning("%s %s", answer["id"], answer["warning"])
        return str(answer["id"])

    def _read(self, id: str, wait: float = 0, abort: Optional[Abort] = None) -> Dict[str, Any]:
        path = f"{_path(id)}?wait={wait:.3f}" if wait > 0 else _path(id)
        answer: Dict[str, Any] = self._transport.request("GET", path, wait=wait, abort=abort)
        return answer

    def _run(self, wire: Mapping[str, Any], wait: Optional[float], abort: Abort) -> Result:
        # An abort does not end the submit: without the id nobody could cancel the execution.
        abort.raise_if_set()
        return self._wait_or_cancel(self._submit(wire), wire, wait, abort)

    def _run_in_batch(self, wire: Mapping[str, Any], abort: Abort) -> Result:
        # With an idempotency key, a submit whose response was lost can be repeated.
        keyed = {"idempotencyKey": str(uuid.uuid4()), **wire}
        id = _retry_while_unavailable(lambda: self._submit(keyed), abort)
        return self._wait_or_cancel(id, wire, None, abort)

    def _wait_or_cancel(
        self, id: str, wire: Mapping[str, Any], wait: Optional[float], abort: Abort
    ) -> Result:
        try:
            return self._wait(id, wait, abort)
        except BaseException:
            # Another caller may wait for an execution under the same idempotency key.
            if "idempotencyKey" not in wire:
                # If this fails, the execution just runs; the caller gets the first error.
                with suppress(IsopodError):
                    self.cancel(id)
            raise

    def _wait(self, id: str, timeout: Optional[float], abort: Abort) -> Result:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = POLL_SECONDS if deadline is None else deadline - time.monotonic()
            seconds = min(max(left, 0.0), POLL_SECONDS)
            answer = _retry_while_unavailable(lambda: self._read(id, seconds, abort), abort)
            if answer["result"] is not None:
                return result_of(answer["result"])
            if deadline is not None and time.monotonic() >= deadline:
                what = "no worker took it" if answer["state"] == "waiting" else "it had not ended"
                message = f"No result of {id} within {timeout:g} s: {what}"
                raise WaitTimeoutError(message, execution_id=id)

    def _events(self, id: str, after: Optional[str], abort: Abort) -> Generator[Event, None, None]:
        last = after
        failing_since: Optional[float] = None
        while True:
            headers = {} if last is None else {"Last-Event-ID": last}
            path = f"{_path(id)}/events"
            try:
                with self._transport.stream(path, headers, SILENCE_SECONDS, abort) as lines:
                    for event_id, kind, data in events_of(lines):
                        last, failing_since = event_id, None
                        yield event_of(event_id, kind, json.loads(data))
                        if kind == "finished":
                            return
            except UnavailableError:
                failing_since = failing_since or time.monotonic()
                if time.monotonic() - failing_since > RETRY_SECONDS:
                    raise
            # A gateway that stops ends its streams; another one continues them.
            abort.sleep(0.5)

    def _batch(self, jobs: Iterator[Job], in_flight: int) -> Generator[BatchItem, None, None]:
        abort = Abort()
        pool = ThreadPoolExecutor(in_flight, thread_name_prefix="isopod-batch")
        pending: Dict[Future[Result], Tuple[int, Job]] = {}
        numbered = enumerate(jobs)
        try:
            while True:
                while len(pending) < in_flight:
                    index, job = next(numbered, (-1, None))
                    if job is None:
                        break
                    future = pool.submit(self._run_in_batch, to_wire(job), abort)
                    pending[future] = (index, job)
                if not pending:
                    return
                for future in wait_for(pending, return_when=FIRST_COMPLETED).done:
                    yield batch_item(*pending.pop(future), future.result)
        finally:
            abort.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _filter(batch_id: Optional[str], label: Optional[str], reply_to: Optional[str]) -> str:
    given = {"batchId": batch_id, "label": label, "replyTo": reply_to}
    return urlencode({name: value for name, value in given.items() if value is not None})


def wire_job(code: str, language: str, options: Mapping[str, Any]) -> Dict[str, Any]:
    """The body of a submit."""
    wire: Dict[str, Any] = to_wire({"language": language, "code": code, **options})
    return wire


def batch_item(index: int, job: Job, result: Callable[[], Result]) -> BatchItem:
    """The item of one finished job. Raises errors that concern more than this job."""
    try:
        return BatchItem(index, job, result=result())
    except InvalidJobError as error:
        return BatchItem(index, job, error=error)


def check_in_flight(in_flight: int) -> None:
    """:raises ValueError: unless it is a whole number from 1 to 1,000"""
    if isinstance(in_flight, int) and 1 <= in_flight <= MAX_IN_FLIGHT:
        return
    raise ValueError(f"in_flight: must be a whole number from 1 to 1000, got {in_flight!r}")


def _path(id: str) -> str:
    return f"/v1/executions/{quote(id, safe='')}"


def _retry_while_unavailable(call: Callable[[], Answer], abort: Abort) -> Answer:
    """Repeats a call while the gateway is unavailable or full; waits out the key's rate limit."""
    failing_since: Optional[float] = None
    pause = 0.2
    while True:
        try:
            return call()
        except RateLimitError as error:
            failing_since = None
            abort.sleep(error.retry_after or pause)
        except UnavailableError as error:
            failing_since = failing_since or time.monotonic()
            if time.monotonic() - failing_since > RETRY_SECONDS:
                raise
            abort.sleep(error.retry_after or pause)
        pause = min(pause * 2, 5.0)
