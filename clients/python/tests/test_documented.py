"""The functions of the API document."""

import pytest

from isopod import (
    ExecutionLimits,
    check_docker_available,
    execute_code,
    execute_with_limits,
    sandbox_process_isolation,
)

RESULT = ["stdout", "stderr", "exit_code", "execution_time", "status", "error_message"]
USAGE = [
    "execution_time_seconds",
    "memory_start_mb",
    "memory_peak_mb",
    "cpu_samples",
    "cpu_average_percent",
    "cpu_peak_percent",
]
HELLO = 'print("Hello, World!")'

pytestmark = pytest.mark.usefixtures("gateway")


def test_a_program_ends_well_as_the_document_shows_it():
    result = execute_code("python", HELLO)
    assert list(result) == RESULT
    assert result["stdout"] == "Hello, World!\n"
    assert (result["stderr"], result["exit_code"], result["status"]) == ("", 0, "success")
    assert result["error_message"] is None
    assert 0 < result["execution_time"] < 30


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import sys\nprint(sys.stdin.read() * 2)"),
        ("javascript", "console.log(require('fs').readFileSync(0, 'utf8').repeat(2))"),
        ("bash", 'text=$(cat); echo "$text$text"'),
    ],
)
def test_stdin_reaches_each_language_of_the_document(language, code):
    assert execute_code(language, code, stdin="ab")["stdout"] == "abab\n"


def test_a_timeout_keeps_partial_output():
    code = "import time\nprint('partial', flush=True)\ntime.sleep(60)"
    result = execute_code(language="python", code=code, timeout=4)
    assert (result["status"], result["exit_code"]) == ("timeout", -1)
    assert result["stdout"] == "partial\n"
    assert result["error_message"].startswith("Execution timed out after 4 s")


def test_an_error_of_the_program_is_an_execution_error():
    result = execute_code("python", "print('before')\nraise ValueError('no')")
    assert (result["status"], result["exit_code"]) == ("execution_error", 1)
    assert result["stdout"] == "before\n"
    assert "ValueError: no" in result["stderr"]
    assert result["error_message"]


def test_a_signal_has_the_exit_code_that_shells_give_it():
    assert execute_code("bash", "kill -SEGV $$")["exit_code"] == 139


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"language": "klingon"}, "klingon"),
        ({"code": ""}, "Code cannot be empty"),
        ({"code": 7}, "code: must be text"),
        ({"code": b"1"}, "code: must be JSON"),
        ({"timeout": 0}, "timeout: must be a whole number from 1 to 300, got 0"),
        ({"timeout": 301}, "timeout: must be"),
        ({"timeout": "5"}, "timeout: must be"),
        ({"session_id": "mine"}, "session_id"),
    ],
)
def test_what_cannot_run_is_a_setup_error_that_says_why(arguments, words):
    result = execute_code(**{"language": "python", "code": "1", **arguments})
    assert list(result) == RESULT
    assert (result["status"], result["exit_code"]) == ("setup_error", -1)
    assert words in result["error_message"]


def test_without_a_gateway_it_says_so_in_one_sentence(monkeypatch):
    monkeypatch.setenv("ISOPOD_URL", "http://127.0.0.1:9")
    result = execute_code("python", HELLO)
    assert result["status"] == "setup_error"
    assert "http://127.0.0.1:9 cannot be reached" in result["error_message"]
    assert "\n" not in result["error_message"]
    assert check_docker_available() is False


def test_limits_are_applied_and_reported_with_what_was_used():
    limits = ExecutionLimits(time_limit=5, memory_limit=128, cpu_limit=0.25)
    result = execute_with_limits("python", HELLO, limits)
    assert list(result) == [*RESULT, "resource_usage", "limits_applied"]
    assert list(result["resource_usage"]) == USAGE
    assert result["limits_applied"] == {
        "time_limit_seconds": 5,
        "memory_limit_mb": 128,
        "cpu_limit_cores": 0.25,
        "max_output_chars": 100_000,
    }
    usage = result["resource_usage"]
    assert usage["execution_time_seconds"] == pytest.approx(result["execution_time"], abs=0.01)
    assert 0 < usage["memory_start_mb"] <= usage["memory_peak_mb"] <= 128


def test_the_defaults_of_the_document_are_applied():
    result = execute_with_limits("bash", "ulimit -u; echo hi", ExecutionLimits())
    assert result["limits_applied"] == {
        "time_limit_seconds": 30,
        "memory_limit_mb": 256,
        "cpu_limit_cores": 0.5,
        "max_output_chars": 100_000,
    }


def test_too_much_memory_is_an_execution_error():
    code = "data = bytearray(500 * 1024 * 1024)\nprint(len(data))"
    result = execute_with_limits("python", code, ExecutionLimits(memory_limit=64))
    assert result["status"] == "execution_error"
    assert "emory" in result["error_message"]


def test_output_is_limited_in_characters_and_not_in_bytes():
    limits = ExecutionLimits(max_output_chars=5)
    result = execute_with_limits("python", "print('äöü€😀!' * 9)", limits)
    assert (result["status"], result["stdout"]) == ("success", "äöü€😀")


def test_what_never_ran_used_nothing():
    result = execute_with_limits("python", "", ExecutionLimits(time_limit=7))
    assert result["status"] == "setup_error"
    assert set(result["resource_usage"].values()) == {0}
    assert result["limits_applied"]["time_limit_seconds"] == 7


def test_limits_of_another_type_are_refused():
    with pytest.raises(TypeError, match="limits: must be ExecutionLimits, got dict"):
        execute_with_limits("python", HELLO, {"time_limit": 5})


def test_the_isolation_is_described():
    result = sandbox_process_isolation("python", HELLO, ExecutionLimits(), stdin="x")
    assert result["stdout"] == "Hello, World!\n"
    runtime = result["isolation"].pop("runtime")
    assert runtime in ("isopod-spawner", "runc", "crun", "runsc")
    assert result["isolation"] == {
        "isolated": True,
        "method": "process" if runtime == "isopod-spawner" else "container",
        "fresh": True,
        "network": False,
    }


def test_nothing_was_isolated_where_nothing_ran():
    isolation = sandbox_process_isolation("python", "", ExecutionLimits())["isolation"]
    assert isolation["isolated"] is False


def test_docker_is_available():
    assert check_docker_available() is True
