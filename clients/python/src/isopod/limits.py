"""``ExecutionLimits`` of the API document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Tuple

# Field → whether it must be whole, minimum, maximum.
_BOUNDS: Mapping[str, Tuple[bool, float, float]] = {
    "time_limit": (True, 1, 300),
    "memory_limit": (True, 16, 1024),
    "cpu_limit": (False, 0.1, 256),
    "max_output_chars": (True, 1, 10 * 1024 * 1024),
}
_MAX_OUTPUT_BYTES = 10 * 1024 * 1024
# Maximum length of one character in UTF-8.
_BYTES_PER_CHAR = 4


@dataclass
class ExecutionLimits:
    """Limits of one execution. An invalid value raises a ``ValueError`` that names the field,
    in the constructor and when a field is assigned later.

    >>> ExecutionLimits(memory_limit=0)
    Traceback (most recent call last):
    ValueError: memory_limit: must be a whole number from 16 to 1024, got 0
    """

    time_limit: int = 30
    """Seconds of wall-clock time."""
    memory_limit: int = 256
    """MiB; there is no swap."""
    cpu_limit: float = 0.5
    """Processor cores."""
    max_output_chars: int = 100_000
    """Characters of stdout, and characters of stderr, that a result carries."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _BOUNDS:
            raise AttributeError(f"ExecutionLimits has no field {name!r}")
        whole, minimum, maximum = _BOUNDS[name]
        check_number(name, value, whole=whole, minimum=minimum, maximum=maximum)
        object.__setattr__(self, name, value)


def check_number(name: str, value: Any, *, whole: bool, minimum: float, maximum: float) -> None:
    """:raises ValueError: naming the field, what is allowed and what was given"""
    kinds = (int,) if whole else (int, float)
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    # No comparison holds for NaN.
    if is_number and minimum <= value <= maximum:
        return
    kind = "a whole number" if whole else "a number"
    raise ValueError(f"{name}: must be {kind} from {minimum} to {maximum}, got {value!r}")


def wire_limits(limits: ExecutionLimits) -> Dict[str, Any]:
    """The limits of a job. Output is asked for in bytes, and cut to characters afterwards."""
    return {
        "timeoutSeconds": limits.time_limit,
        "memoryMb": limits.memory_limit,
        "cpus": limits.cpu_limit,
        "outputBytes": min(limits.max_output_chars * _BYTES_PER_CHAR, _MAX_OUTPUT_BYTES),
    }
