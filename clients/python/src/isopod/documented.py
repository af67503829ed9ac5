"""The functions of the API document. They never raise for a job; the result says what failed.

Jobs go to the gateway of ``ISOPOD_URL`` (``http://127.0.0.1:8007``) with ``ISOPOD_API_KEY``.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Dict, Mapping, Optional, Tuple

from ._abort import Abort
from .client import Isopod
from .errors import IsopodError
from .limits import ExecutionLimits, check_number, wire_limits
from .models import Result

# Timeout for a result, including the job's time in the queue.
_WAIT_SECONDS = 900.0
_CHECK_SECONDS = 20.0
_PROCESSES = 50
_NO_EXIT_CODE = -1

_STATUSES = {
    "success": "success",
    "timeout": "timeout",
    "execution_error": "execution_error",
    "compile_error": "execution_error",
    "memory_exceeded": "execution_error",
    "output_exceeded": "execution_error",
    "validation_error": "setup_error",
    "cancelled": "setup_error",
    "setup_error": "setup_error",
}

# Linux numbers (signal(7)), because the program ran on Linux, wherever this client runs.
_SIGNALS = {
    "SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGBUS": 7,
    "SIGFPE": 8, "SIGKILL": 9, "SIGUSR1": 10, "SIGSEGV": 11, "SIGUSR2": 12, "SIGPIPE": 13,
    "SIGALRM": 14, "SIGTERM": 15, "SIGXCPU": 24, "SIGXFSZ": 25, "SIGSYS": 31,
}  # fmt: skip

# Field name of the gateway → argument name of these functions.
_SESSION = {"session_id": "session_id", "sessionId": "session_id"}
_CALL_NAMES = {
    "limits.timeout_seconds": "timeout",
    "limits.timeoutSeconds": "timeout",
    **_SESSION,
}
_LIMIT_NAMES = {
    "limits.timeout_seconds": "time_limit",
    "limits.timeoutSeconds": "time_limit",
    "limits.memory_mb": "memory_limit",
    "limits.memoryMb": "memory_limit",
    "limits.cpus": "cpu_limit",
    "limits.output_bytes": "max_output_chars",
    "limits.outputBytes": "max_output_chars",
    **_SESSION,
}


def execute_code(
    language: str,
    code: str,
    stdin: Optional[str] = None,
    timeout: int = 30,
    session_id: Optional[str] = None,
) -> Dict[str, Any]:
    """Runs a program in a container of its own.

    :param timeout: seconds of wall-clock time, 1 to 300
    :param session_id: not available in this release; such a call ends in ``setup_error``
    :returns: ``stdout``, ``stderr``, ``exit_code`` (128 + n after signal n, -1 after a timeout and
        where nothing ran), ``execution_time`` in seconds, ``status`` (``success``, ``timeout``,
        ``execution_error``, ``setup_error``) and ``error_message``
    """
    try:
        check_number("timeout", timeout, whole=True, minimum=1, maximum=300)
        result = _run(language, code, {"timeoutSeconds": timeout}, stdin, session_id=session_id)
    except (IsopodError, ValueError) as error:
        return _refused(str(error), _CALL_NAMES)
    return _answer(result, _CALL_NAMES)


def execute_with_limits(
    language: str,
    code: str,
    limits: ExecutionLimits,
    stdin: Optional[str] = None,
    session_id: Optional[str] = None,
) -> Dict[str, Any]:
    """Runs a program within limits, and reports what it used.

    :returns: as :func:`execute_code`, with ``resource_usage`` (all 0 if nothing ran) and
        ``limits_applied``, as the container itself saw them (as asked for if there was none)
    """
    return _execute(language, code, limits, stdin, session_id=session_id)[0]


def sandbox_process_isolation(
    language: str, code: str, limits: ExecutionLimits, stdin: Optional[str] = None
) -> Dict[str, Any]:
    """Runs a program within limits, and reports how it was isolated.

    It runs in a process sandbox where the deployment offers one, else in a container.

    :returns: as :func:`execute_with_limits`, with ``isolation``: ``isolated``; ``method``, which is
        ``process`` or ``container``; ``runtime``: ``isopod-spawner`` of the worker, or the OCI runtime;
        ``fresh``: no other job was ever in there; ``network``: whether it had one. All but
        ``isolated`` are None if nothing ran.
    """
    answer, result = _execute(language, code, limits, stdin, isolation="process")
    refused = answer["status"] == "setup_error"
    if refused and (answer["error_message"] or "").startswith("isolation: "):
        # Below the deployment's minimum, not offered, or unknown to an older release.
        answer, result = _execute(language, code, limits, stdin)
    origin = None if result is None else result.raw.get("containerOrigin")
    if result is None or origin is None:
        unknown = {"method": None, "runtime": None, "fresh": None, "network": None}
        return {**answer, "isolation": {"isolated": False, **unknown}}
    isolation = {
        "isolated": True,
        "method": "process" if (result.isolation or {}).get("driver") == "process" else "container",
        "runtime": result.raw.get("runtime"),
        "fresh": origin != "batch",
        "network": False,
    }
    return {**answer, "isolation": isolation}


def check_docker_available() -> bool:
    """Whether a container can be started; runs a minimal program in one.

    False also if the gateway does not answer, or no worker takes the program within 20 s.
    """
    with suppress(IsopodError):
        client = Isopod()
        able = [each.name for each in client.languages() if each.missing_image is None]
        # The fastest language that set-up always builds.
        language = next((name for name in ("bash", "python", *able) if name in able), None)
        if language is not None:
            code = "exit" if language == "bash" else "0"
            result = client.run(code, language, wait=_CHECK_SECONDS)
            return result.raw.get("containerOrigin") is not None
    return False


def _execute(
    language: str,
    code: str,
    limits: ExecutionLimits,
    stdin: Optional[str],
    **fields: Optional[str],
) -> Tuple[Dict[str, Any], Optional[Result]]:
    if not isinstance(limits, ExecutionLimits):
        raise TypeError(f"limits: must be ExecutionLimits, got {type(limits).__name__}")
    try:
        result = _run(language, code, wire_limits(limits), stdin, **fields)
    except IsopodError as error:
        answer = _refused(str(error), _LIMIT_NAMES)
        return {**answer, "resource_usage": _usage({}), "limits_applied": _asked(limits)}, None
    answer = _answer(result, _LIMIT_NAMES)
    most = limits.max_output_chars
    answer["stdout"], answer["stderr"] = answer["stdout"][:most], answer["stderr"][:most]
    answer["resource_usage"] = _usage(result.raw.get("resourceUsage") or {})
    answer["limits_applied"] = {**_asked(limits), **_applied(result.raw.get("limitsApplied") or {})}
    return answer, result


def _run(
    language: str,
    code: str,
    limits: Mapping[str, Any],
    stdin: Optional[str],
    session_id: Optional[str] = None,
    isolation: Optional[str] = None,
) -> Result:
    wire: Dict[str, Any] = {
        "language": language,
        "code": code,
        "limits": {**limits, "processes": _PROCESSES},
    }
    if stdin is not None:
        wire["stdin"] = stdin
    if session_id is not None:
        wire["sessionId"] = session_id
    if isolation is not None:
        wire["isolation"] = isolation
    return Isopod()._run(wire, _WAIT_SECONDS, Abort())


def _answer(result: Result, names: Mapping[str, str]) -> Dict[str, Any]:
    message = result.error_message
    # A status that a newer worker added: it blames the program only if the result says so.
    unknown = "execution_error" if result.attributable else "setup_error"
    return {
        "stdout": result.stdout,
        "stderr": result.stderr or result.compile_output,
        "exit_code": _exit_code(result),
        "execution_time": (result.wall_ms or 0) / 1000,
        "status": _STATUSES.get(result.status, unknown),
        "error_message": None if message is None else _renamed(message, names),
    }


def _refused(message: str, names: Mapping[str, str]) -> Dict[str, Any]:
    return {
        "stdout": "",
        "stderr": "",
        "exit_code": _NO_EXIT_CODE,
        "execution_time": 0.0,
        "status": "setup_error",
        "error_message": _renamed(message, names),
    }


def _exit_code(result: Result) -> int:
    if result.status == "timeout":
        return _NO_EXIT_CODE
    if result.exit_code is not None:
        return result.exit_code
    signal = _SIGNALS.get(result.signal or "")
    return _NO_EXIT_CODE if signal is None else 128 + signal


def _renamed(message: str, names: Mapping[str, str]) -> str:
    for theirs, ours in names.items():
        message = message.replace(theirs, ours)
    return message


def _usage(wire: Mapping[str, Any]) -> Dict[str, Any]:
    return {
        "execution_time_seconds": wire.get("executionTimeSeconds", 0.0),
        "memory_start_mb": wire.get("memoryStartMb", 0.0),
        "memory_peak_mb": wire.get("memoryPeakMb", 0.0),
        "cpu_samples": wire.get("cpuSamples", 0),
        "cpu_average_percent": wire.get("cpuAveragePercent", 0.0),
        "cpu_peak_percent": wire.get("cpuPeakPercent", 0.0),
    }


def _asked(limits: ExecutionLimits) -> Dict[str, Any]:
    return {
        "time_limit_seconds": limits.time_limit,
        "memory_limit_mb": limits.memory_limit,
        "cpu_limit_cores": limits.cpu_limit,
        "max_output_chars": limits.max_output_chars,
    }


def _applied(wire: Mapping[str, Any]) -> Dict[str, Any]:
    names = {
        "time_limit_seconds": "timeoutSeconds",
        "memory_limit_mb": "memoryMb",
        "cpu_limit_cores": "cpus",
    }
    return {ours: wire[theirs] for ours, theirs in names.items() if theirs in wire}
