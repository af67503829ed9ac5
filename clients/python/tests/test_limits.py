"""ExecutionLimits and ResourceMonitor: nothing here needs a gateway."""

import math
import time

import pytest

from isopod import ExecutionLimits, ResourceMonitor


def test_defaults_are_those_of_the_document():
    limits = ExecutionLimits()
    assert (limits.time_limit, limits.memory_limit) == (30, 256)
    assert (limits.cpu_limit, limits.max_output_chars) == (0.5, 100_000)
    assert limits == ExecutionLimits(30, 256, 0.5, 100_000)


@pytest.mark.parametrize("field", ["time_limit", "memory_limit", "cpu_limit", "max_output_chars"])
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, 1e308, 10**30, "5", None, True, []])
def test_an_invalid_limit_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"^{field}: must be a .*number from"):
        ExecutionLimits(**{field: value})


def test_a_refusal_states_the_range_in_full():
    with pytest.raises(ValueError, match="^max_output_chars: .* from 1 to 10485760, got 0$"):
        ExecutionLimits(max_output_chars=0)
    with pytest.raises(ValueError, match="^cpu_limit: must be a number from 0.1 to 256, got 0$"):
        ExecutionLimits(cpu_limit=0)


def test_a_later_assignment_is_checked_too():
    limits = ExecutionLimits()
    limits.time_limit = 5
    with pytest.raises(ValueError, match="time_limit"):
        limits.time_limit = 301
    with pytest.raises(AttributeError, match="tme_limit"):
        limits.tme_limit = 5
    assert limits.time_limit == 5


def test_a_monitor_sees_memory_and_processor():
    monitor = ResourceMonitor()
    monitor.start_monitoring()
    kept = bytearray(32 * 1024 * 1024)
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    monitor.update_monitoring()
    usage = monitor.get_resource_usage()
    assert len(kept) > 0
    assert usage["memory_peak_mb"] - usage["memory_start_mb"] > 16
    assert usage["cpu_samples"] == 2
    assert 0 < usage["cpu_average_percent"] <= usage["cpu_peak_percent"]
    assert usage["execution_time_seconds"] >= 0.05


def test_a_monitor_has_to_be_started():
    with pytest.raises(RuntimeError, match="start_monitoring"):
        ResourceMonitor().get_resource_usage()
