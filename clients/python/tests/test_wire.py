"""Names, events and bodies, without a gateway."""

import pytest

from isopod._names import camel_name, from_wire, snake_names, to_wire
from isopod._sse import events_of
from isopod.documented import _answer
from isopod.models import result_of


def test_names_go_there_and_back():
    for snake, camel in [("timeout_seconds", "timeoutSeconds"), ("cpus", "cpus")]:
        assert camel_name(snake) == camel
        assert snake_names(camel) == snake
    assert snake_names("jobs[1].limits.timeoutSeconds") == "jobs[1].limits.timeout_seconds"


def test_what_belongs_to_the_caller_keeps_its_names():
    job = {
        "input_data": {"my_key": [{"an_other": 1}]},
        "env": {"my_var": "1"},
        "labels": {"a_b": "c"},
        "files": {"a_b.txt": b"\x00", "c_d.txt": "text"},
        "tests": [{"files": {"e_f": b""}, "checker": {"ignore_case": True}}],
    }
    assert to_wire(job) == {
        "inputData": {"my_key": [{"an_other": 1}]},
        "env": {"my_var": "1"},
        "labels": {"a_b": "c"},
        "files": {"a_b.txt": {"content": "AA==", "encoding": "base64"}, "c_d.txt": "text"},
        "tests": [
            {
                "files": {"e_f": {"content": "", "encoding": "base64"}},
                "checker": {"ignoreCase": True},
            }
        ],
    }
    assert from_wire({"labels": {"aB": 1}, "wallMs": [{"cpuMs": 1}]}) == {
        "labels": {"aB": 1},
        "wall_ms": [{"cpu_ms": 1}],
    }


def test_events_are_read_as_the_standard_says():
    stream = b": hi\n\nid: 1\nevent: stdout\ndata: a\ndata:  b\n\ndata: c\r\n\r\nid: 2\ndata: lost"
    assert list(events_of(stream.splitlines(keepends=True))) == [
        ("1", "stdout", "a\n b"),
        ("1", "message", "c"),
    ]


@pytest.mark.parametrize(
    ("attributable", "documented"), [(True, "execution_error"), (False, "setup_error")]
)
def test_a_result_of_a_newer_worker_is_read(attributable, documented):
    nulls = ["exitCode", "signal", "limit", "wallMs", "memoryPeakBytes", "errorMessage"]
    wire = {
        **dict.fromkeys(nulls),
        **{"id": "j-1", "status": "paused", "attributable": attributable, "language": "python@3.13"},
        **{"stdout": "", "stderr": "", "validationErrors": [], "warnings": []},
        "tests": [
            {"name": "1", "verdict": "new", "exitCode": 0, "signal": None, "diff": None, "new": 1}
        ],
        "fieldOfANewerWorker": {"deep": 1},
    }
    result = result_of(wire)
    assert (result.status, result.ok, result.tests[0].verdict) == ("paused", False, "new")
    assert _answer(result, {})["status"] == documented
