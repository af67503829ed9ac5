"""Each example of the README runs, and prints what its comments say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.usefixtures("gateway")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.splitlines()[-1][:40])
def test_an_example_prints_what_it_says(example):
    expected = re.findall(r"print\(.*\)  # (.+)$", example, re.MULTILINE)
    ended = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True)
    assert ended.stderr == ""
    assert [line for line in ended.stdout.splitlines() if line] == expected
    assert expected


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 100
