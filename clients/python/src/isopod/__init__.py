"""Runs code that you do not trust, in hardened single-use containers, through an Isopod gateway."""

from .aio import AsyncIsopod
from .client import Isopod
from .documented import (
    check_docker_available,
    execute_code,
    execute_with_limits,
    sandbox_process_isolation,
)
from .errors import (
    AccessError,
    ConfigError,
    ConflictError,
    FieldProblem,
    InvalidJobError,
    IsopodError,
    RateLimitError,
    UnavailableError,
    UnknownExecutionError,
    WaitTimeoutError,
)
from .limits import ExecutionLimits
from .models import (
    BatchItem,
    Event,
    Job,
    JobOptions,
    JudgedTest,
    LanguageSummary,
    Limits,
    Result,
    TestCase,
)
from .monitor import ResourceMonitor

__all__ = [
    "AccessError",
    "AsyncIsopod",
    "BatchItem",
    "ConfigError",
    "ConflictError",
    "Event",
    "ExecutionLimits",
    "FieldProblem",
    "InvalidJobError",
    "Isopod",
    "IsopodError",
    "Job",
    "JobOptions",
    "JudgedTest",
    "LanguageSummary",
    "Limits",
    "RateLimitError",
    "ResourceMonitor",
    "Result",
    "TestCase",
    "UnavailableError",
    "UnknownExecutionError",
    "WaitTimeoutError",
    "check_docker_available",
    "execute_code",
    "execute_with_limits",
    "sandbox_process_isolation",
]
