"""``ResourceMonitor`` of the API document."""

from __future__ import annotations

import sys
import time
from typing import Dict, Optional

_MIB = 1024 * 1024


class ResourceMonitor:
    """Measures the process that it runs in: memory, processor and time between start and now.

    The ``resource_usage`` of a result has the use of a sandboxed program; this class measures the
    calling program.
    """

    def __init__(self) -> None:
        self._started: Optional[float] = None
        self._cpu_started = 0.0
        self._memory_start = 0.0
        self._memory_peak = 0.0
        self._samples = 0
        self._cpu_peak = 0.0
        self._last = (0.0, 0.0)

    def start_monitoring(self) -> None:
        """Starts, or restarts, the measurement."""
        self._started = time.monotonic()
        self._cpu_started = time.process_time()
        self._memory_start = self._memory_peak = _memory_mib()
        self._samples = 0
        self._cpu_peak = 0.0
        self._last = (self._started, self._cpu_started)

    def update_monitoring(self) -> None:
        """Takes a sample.

        :raises RuntimeError: before :meth:`start_monitoring`
        """
        if self._started is None:
            raise RuntimeError("ResourceMonitor: call start_monitoring() first")
        now, cpu = time.monotonic(), time.process_time()
        then, cpu_then = self._last
        self._memory_peak = max(self._memory_peak, _memory_mib())
        self._cpu_peak = max(self._cpu_peak, _percent(cpu - cpu_then, now - then))
        self._samples += 1
        self._last = (now, cpu)

    def get_resource_usage(self) -> Dict[str, float]:
        """Time in seconds, memory in MiB, processor in percent of one core; takes a sample.

        :raises RuntimeError: before :meth:`start_monitoring`
        """
        self.update_monitoring()
        started = self._started or 0.0
        now, cpu = self._last
        average = _percent(cpu - self._cpu_started, now - started)
        return {
            "execution_time_seconds": now - started,
            "memory_start_mb": self._memory_start,
            "memory_peak_mb": self._memory_peak,
            "cpu_samples": self._samples,
            "cpu_average_percent": average,
            "cpu_peak_percent": max(self._cpu_peak, average),
        }


def _percent(cpu_seconds: float, seconds: float) -> float:
    return 100 * cpu_seconds / seconds if seconds > 0 else 0.0


def _memory_mib() -> float:
    """Resident memory; its peak if the system reports only that, 0 if it reports nothing."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / _MIB if sys.platform == "darwin" else peak / 1024
