"""Errors of this package; the base is :class:`IsopodError`."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional, Sequence

from ._names import snake_names


class FieldProblem(NamedTuple):
    """One refused field, as a sentence that names it."""

    field: str
    """Dotted path of the field, for example ``limits.memory_mb``."""
    message: str


class IsopodError(Exception):
    """Base of all errors of this package. ``code`` is stable; use it in programs."""

    def __init__(
        self, message: str, *, code: str = "error", request_id: Optional[str] = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


class ConfigError(IsopodError, ValueError):
    """A setting of the client is wrong; the message names it."""


class InvalidJobError(IsopodError, ValueError):
    """The job is invalid, and nothing was enqueued. ``problems`` lists each refused field."""

    def __init__(
        self,
        problems: Sequence[FieldProblem],
        *,
        code: str = "invalid_job",
        request_id: Optional[str] = None,
    ) -> None:
        message = "; ".join(problem.message for problem in problems)
        super().__init__(message, code=code, request_id=request_id)
        self.problems: List[FieldProblem] = list(problems)


class AccessError(IsopodError):
    """The gateway requires an API key, or this key does not permit the call."""


class UnknownExecutionError(IsopodError, LookupError):
    """There is no such execution for this caller, or its result has expired."""


class ConflictError(IsopodError):
    """Another job was submitted under the same ``idempotency_key``."""


class UnavailableError(IsopodError):
    """The gateway, or a service behind it, does not respond. A later attempt may succeed."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "unavailable",
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message, code=code, request_id=request_id)
        self.retry_after = retry_after
        """Seconds to wait before the next attempt; None if the gateway did not say."""


class RateLimitError(UnavailableError):
    """This API key makes too many requests, or has too many unfinished executions."""


class WaitTimeoutError(IsopodError, TimeoutError):
    """No result arrived within the caller's timeout."""

    def __init__(self, message: str, *, execution_id: str) -> None:
        super().__init__(message, code="wait_timeout")
        self.execution_id = execution_id


def error_of(status: int, problem: Mapping[str, Any], retry_after: Optional[float]) -> IsopodError:
    """Turns a problem document (RFC 9457) of the gateway into the error that callers catch."""
    code = str(problem.get("code", "error"))
    detail = str(problem.get("detail") or problem.get("title") or f"HTTP {status}")
    request_id = str(problem.get("requestId", "")) or None
    if status in (400, 413, 415):
        given = problem.get("errors") or [{"field": "", "message": detail}]
        problems = [
            FieldProblem(snake_names(each["field"]), in_snake_case(each["field"], each["message"]))
            for each in given
        ]
        return InvalidJobError(problems, code=code, request_id=request_id)
    if status in (401, 403):
        return AccessError(detail, code=code, request_id=request_id)
    if status == 404:
        return UnknownExecutionError(detail, code=code, request_id=request_id)
    if status == 409:
        return ConflictError(detail, code=code, request_id=request_id)
    if status == 429:
        return RateLimitError(detail, code=code, request_id=request_id, retry_after=retry_after)
    if status >= 500 or status == 408:
        return UnavailableError(detail, code=code, request_id=request_id, retry_after=retry_after)
    return IsopodError(detail, code=code, request_id=request_id)


def in_snake_case(field: str, message: str) -> str:
    """The message about a field, with the field's Python name."""
    if field and message.startswith(field):
        message = snake_names(field) + message[len(field) :]
    for rule in ('did you mean "', "unknown field; the fields are "):
        before, found, names = message.partition(rule)
        if found:
            return before + found + snake_names(names)
    return message
