"""What goes to a gateway and what comes back."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, TypedDict, Union

from ._names import from_wire


class Limits(TypedDict, total=False):
    """Limits of a program. What is left out has the deployment's default."""

    timeout_seconds: float
    compile_seconds: float
    job_seconds: float
    cpu_seconds: float
    memory_mb: int
    cpus: float
    processes: int
    disk_mb: int
    output_bytes: int
    on_overflow: str
    open_files: int


class TestCase(TypedDict, total=False):
    """One test of a job: what the program is given, and what it should print."""

    name: str
    stdin: str
    args: List[str]
    files: Mapping[str, Any]
    expected: str
    checker: Union[str, Mapping[str, Any]]
    script: str
    interactor: Mapping[str, Any]
    weight: float
    limits: Limits


class JobOptions(TypedDict, total=False):
    """The fields of a job except ``code`` and ``language``; ``docs/wire.md`` has their bounds."""

    stdin: str
    args: List[str]
    env: Mapping[str, str]
    compile_args: List[str]
    files: Mapping[str, Any]
    """Path → text, bytes, or ``{"content": …, "encoding": …}``."""
    fetch_files: List[str]
    input_data: Any
    limits: Limits
    network: str
    isolation: str
    """``process``, ``container`` or ``gvisor``; at least the deployment's minimum."""
    runtime: str
    policy: Mapping[str, str]
    tests: List[TestCase]
    stop_on_first_failure: bool
    repeat: int
    preload: bool
    reuse: str
    batch_id: str
    cache: bool
    stream: bool
    tenant: str
    priority: int
    expires_in_seconds: int
    idempotency_key: str
    labels: Mapping[str, str]
    callback_url: str
    reply_to: str
    session_id: str


class Job(JobOptions, total=False):
    """One job, as :meth:`isopod.Isopod.batch` takes it; only ``code`` is needed."""

    code: str
    language: str


@dataclass(frozen=True)
class JudgedTest:
    """The verdict of one test case."""

    name: str
    verdict: str
    """``passed``, ``wrong_answer``, ``runtime_error``, ``timeout``, ``memory_exceeded``,
    ``output_exceeded``, ``unverified``, ``judge_error`` or ``skipped``. ``judge_error``: what
    judges failed itself, which says nothing about the code; ``diff`` has the reason"""
    exit_code: Optional[int]
    signal: Optional[str]
    diff: Optional[str]
    suspicious: Optional[str]
    separation: Optional[str] = None

    @property
    def passed(self) -> bool:
        """Whether the verdict is ``passed``."""
        return self.verdict == "passed"


@dataclass(frozen=True)
class Result:
    """The result of one job. All statuses share this shape; unmeasured values are None."""

    id: str
    status: str
    """``success``, ``execution_error``, ``compile_error``, ``timeout``, ``memory_exceeded``,
    ``output_exceeded``, ``validation_error``, ``cancelled`` or ``setup_error``; of a newer worker
    also another word, for which ``attributable`` says whether it describes the program"""
    exit_code: Optional[int]
    signal: Optional[str]
    limit: Optional[str]
    stdout: str
    stderr: str
    compile_output: str
    wall_ms: Optional[float]
    memory_peak_bytes: Optional[int]
    error_message: Optional[str]
    validation_errors: List[str]
    warnings: List[str]
    attributable: bool
    """False if the result says nothing about the program: a platform fault, a cancellation."""
    language: str
    tests: List[JudgedTest]
    raw: Mapping[str, Any] = field(repr=False)
    """The result as the gateway sent it, with all fields."""

    @property
    def ok(self) -> bool:
        """Whether the program ended with exit code 0."""
        return self.status == "success"

    @property
    def isolation(self) -> Optional[Mapping[str, Any]]:
        """What isolated the program: ``driver``, ``runtime``, ``namespaces`` and the version of
        ``cgroup``. None if nothing ran, or with an older worker."""
        return self.raw.get("isolation")

    @property
    def files(self) -> Dict[str, bytes]:
        """Files named in ``fetch_files`` that the program wrote."""
        found = self.raw.get("files", {})
        return {path: base64.b64decode(file["content"]) for path, file in found.items()}

    @property
    def passed(self) -> bool:
        """Whether all tests passed; of a job without tests: whether it ended with ``success``."""
        return all(test.passed for test in self.tests) if self.tests else self.ok

    @property
    def judge_errors(self) -> List[JudgedTest]:
        """Tests that what judges them failed to decide. They never count as passed."""
        return [test for test in self.tests if test.verdict == "judge_error"]

    @property
    def stdout_bytes(self) -> bytes:
        """The output as bytes, even if it is not UTF-8."""
        return self._bytes("stdout")

    @property
    def stderr_bytes(self) -> bytes:
        """Standard error as bytes, even if it is not UTF-8."""
        return self._bytes("stderr")

    def _bytes(self, stream: str) -> bytes:
        packed = (self.raw.get("raw") or {}).get(stream)
        return str(self.raw[stream]).encode() if packed is None else base64.b64decode(packed)


def result_of(wire: Mapping[str, Any]) -> Result:
    """Parses the result that a gateway sent."""
    tests = [
        JudgedTest(
            name=test["name"],
            verdict=test["verdict"],
            exit_code=test["exitCode"],
            signal=test["signal"],
            diff=test["diff"],
            suspicious=test.get("suspicious"),
            separation=test.get("separation"),
        )
        for test in wire.get("tests") or []
    ]
    return Result(
        id=wire["id"],
        status=wire["status"],
        exit_code=wire["exitCode"],
        signal=wire["signal"],
        limit=wire["limit"],
        stdout=wire["stdout"],
        stderr=wire["stderr"],
        compile_output=wire.get("compileOutput", ""),
        wall_ms=wire["wallMs"],
        memory_peak_bytes=wire["memoryPeakBytes"],
        error_message=wire["errorMessage"],
        validation_errors=list(wire["validationErrors"]),
        warnings=list(wire["warnings"]),
        attributable=wire["attributable"],
        language=wire["language"],
        tests=tests,
        raw=wire,
    )


@dataclass(frozen=True)
class Event:
    """One event of an execution. ``finished`` is the last one."""

    id: str
    """``events(id, after=…)`` resumes after this event."""
    type: str
    """``status``, ``stdout``, ``stderr``, ``test``, ``dropped`` or ``finished``"""
    data: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Printed text; empty for events that are not output."""
        return str(self.data.get("text", ""))


def event_of(id: str, type: str, wire: Dict[str, Any]) -> Event:
    """Parses an event that a gateway sent."""
    return Event(id=id, type=type, data=from_wire(wire))


@dataclass(frozen=True)
class BatchItem:
    """One finished job of a batch: its result, or the error that refused it."""

    index: int
    """Index of the job in the batch, from 0."""
    job: Mapping[str, Any]
    result: Optional[Result] = None
    error: Optional[Exception] = None


@dataclass(frozen=True)
class LanguageSummary:
    """A language that workers offer."""

    name: str
    version: str
    aliases: List[str]
    missing_image: Optional[str]
    """The required image if a worker lacks it; None if the language can run."""
