"""The blocking client."""

import time

import pytest

from isopod import InvalidJobError, Isopod, IsopodError, UnknownExecutionError, WaitTimeoutError
from time_factor import scaled

ENDLESS = "echo on; sleep 60"


def test_run_returns_the_result(client):
    result = client.run("print(sum(input_data['nums']))", input_data={"nums": [1, 2, 3]})
    assert (result.ok, result.stdout, result.exit_code) == (True, "6\n", 0)
    assert result.language.startswith("python")
    assert result.raw["limitsApplied"]["memoryMb"] == 256


def test_the_program_finds_what_it_was_given(client):
    result = client.run(
        'cat text.txt data.bin; echo "$MY_NAME $1"',
        "bash",
        files={"text.txt": "a\n", "data.bin": b"\xff\n"},
        env={"MY_NAME": "me"},
        args=["one two"],
        limits={"timeout_seconds": 5},
        labels={"a_b": "c"},
        fetch_files=["data.bin"],
    )
    assert result.files == {"data.bin": b"\xff\n"}
    assert result.stdout_bytes == b"a\n\xff\nme one two\n"
    assert result.raw["labels"] == {"a_b": "c"}
    assert result.raw["limitsApplied"]["timeoutSeconds"] == 5


def test_tests_are_judged(client):
    result = client.run(
        "print(int(input()) * 2)",
        tests=[{"stdin": "2", "expected": "4"}, {"name": "odd", "stdin": "3", "expected": "7"}],
    )
    assert [(test.name, test.verdict) for test in result.tests] == [
        ("1", "passed"),
        ("odd", "wrong_answer"),
    ]
    assert not result.passed
    assert result.tests[1].diff


def test_judge_errors_are_listed_on_their_own(client):
    checker = {"type": "program", "language": "bash", "code": "exit $(cat actual)"}
    tests = [{"stdin": code, "checker": checker} for code in ("42", "43", "1")]
    result = client.run("print(input())", tests=tests)
    verdicts = [test.verdict for test in result.tests]
    assert verdicts == ["passed", "wrong_answer", "judge_error"]
    assert result.judge_errors == result.tests[2:]
    assert not result.passed


@pytest.mark.parametrize(
    ("job", "field", "words"),
    [
        ({"code": ""}, "code", "Code cannot be empty"),
        ({"limits": {"timeout_seconds": 0}}, "limits.timeout_seconds", "got 0"),
        ({"limits": {"memory_mb": None}}, "limits.memory_mb", "got null"),
        ({"input_dta": 1}, "input_dta", 'did you mean "input_data"'),
        ({"nonsense": 1}, "nonsense", "stop_on_first_failure"),
        ({"input_data": {1, 2}}, "input_data", "must be JSON"),
        ({"input_data": float("nan")}, "input_data", "must be JSON"),
        ({"language": "klingon"}, "language", "klingon"),
    ],
)
def test_a_refusal_names_the_field(client, job, field, words):
    with pytest.raises(InvalidJobError) as refused:
        client.run(**{"code": "1", **job})
    [problem] = refused.value.problems
    assert problem.field == field
    assert words in problem.message


def test_submit_and_read(client):
    id = client.submit("print('later')")
    assert client.wait(id, scaled(30)).stdout == "later\n"
    assert client.state(id) == "finished"
    assert client.result(id).stdout == "later\n"
    assert client.cancel(id) == "finished"


def test_many_jobs_are_enqueued_or_none(client):
    ids = client.submit_many([{"code": f"print({n})"} for n in range(3)])
    assert [client.wait(id, scaled(30)).stdout for id in ids] == ["0\n", "1\n", "2\n"]
    with pytest.raises(InvalidJobError, match=r"jobs\[1\]: Code cannot be empty"):
        client.submit_many([{"code": "1"}, {"code": ""}])


def test_a_batch_is_listed_and_cancelled_by_its_id_or_label(client):
    sleep = {"language": "bash", "code": "sleep 60", "batch_id": "py"}
    ids = client.submit_many({**sleep, "labels": {"a": str(n)}} for n in range(9))
    listed = client.jobs(batch_id="py")
    assert sorted(job["id"] for job in listed) == sorted(ids)
    assert {job["batch_id"] for job in listed} == {"py"}
    assert [job["id"] for job in client.jobs(batch_id="py", label="a=8")] == [ids[8]]
    counts = client.cancel_jobs(batch_id="py")
    assert counts["cancelled"] + counts["requested"] == 9
    assert {client.wait(id, scaled(30)).status for id in ids} == {"cancelled"}
    with pytest.raises(IsopodError):
        client.cancel_jobs()


def test_a_wait_that_is_over_cancels_what_it_ran(client):
    started = time.monotonic()
    with pytest.raises(WaitTimeoutError, match="it had not ended") as late:
        client.run(ENDLESS, "bash", wait=2)
    assert time.monotonic() - started < scaled(20)
    assert client.wait(late.value.execution_id, scaled(20)).status == "cancelled"


def test_an_execution_that_is_not_there(client):
    for call in (client.result, client.cancel, client.wait, lambda id: next(client.events(id))):
        with pytest.raises(UnknownExecutionError, match="no-such"):
            call("no-such")


def test_events_come_while_it_runs(client):
    id = client.submit(ENDLESS, "bash", stream=True)
    seen = []
    for event in client.events(id):
        seen.append(event.type)
        if event.type == "stdout":
            assert event.text == "on\n"
            assert client.state(id) == "running"
            client.cancel(id)
    assert seen[0] == "status"
    assert seen[-1] == "finished"
    assert "stdout" in seen


def test_events_resume_behind_an_id(client):
    id = client.submit("echo a", "bash", stream=True)
    events = list(client.events(id))
    printed = next(event for event in events if event.type == "stdout")
    assert [event.type for event in client.events(id, after=printed.id)] == ["finished"]
    assert events[-1].data == {"status": "success"}


def test_a_batch_yields_results_as_they_come(client):
    jobs = [{"code": f"import time\ntime.sleep({scaled(2)})"}] + [{"code": f"print({n})"} for n in (1, 2)]
    items = list(client.batch(jobs, in_flight=3))
    assert sorted(item.index for item in items) == [0, 1, 2]
    assert items[-1].index == 0
    assert {item.result.stdout for item in items} == {"", "1\n", "2\n"}


def test_a_batch_continues_after_a_job_that_is_refused(client):
    items = {item.index: item for item in client.batch([{"code": ""}, {"code": "print(1)"}])}
    assert isinstance(items[0].error, InvalidJobError)
    assert items[1].result.stdout == "1\n"


def test_a_batch_pulls_no_more_than_it_has_room_for(client):
    pulled = []

    def jobs():
        for number in range(6):
            pulled.append(number)
            yield {"code": "1"}

    for done, _ in enumerate(client.batch(jobs(), in_flight=2), 1):
        assert len(pulled) <= done + 2
    with pytest.raises(ValueError, match="in_flight"):
        client.batch([], in_flight=0)


def test_leaving_a_batch_cancels_what_is_in_flight(client):
    batch = client.batch([{"code": "1"}, {"code": ENDLESS, "language": "bash"}], in_flight=2)
    next(batch)
    batch.close()
    assert until_idle(client)


def test_languages_and_queue(client):
    assert "python" in [language.name for language in client.languages()]
    assert set(client.queue()) == {
        "waiting",
        "running",
        "oldest_waiting_seconds",
        "predicted_wait_seconds",
        "workers",
        "slots",
    }


def until_idle(client: Isopod) -> bool:
    """Whether nothing runs or waits within a few seconds."""
    until = time.monotonic() + scaled(20)
    while time.monotonic() < until:
        queue = client.queue()
        if queue["waiting"] == queue["running"] == 0:
            return True
        time.sleep(0.1)
    return False


def test_the_key_of_the_environment_stays_with_its_gateway(monkeypatch):
    monkeypatch.setenv("ISOPOD_API_KEY", "secret")
    assert "Authorization" in Isopod()._transport._headers
    assert "Authorization" not in Isopod("http://127.0.0.1:9")._transport._headers
