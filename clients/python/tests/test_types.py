"""The package's types hold under mypy's strictest rules."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_finds_nothing(tmp_path):
    arguments = ["-m", "mypy", "--cache-dir", str(tmp_path)]
    ended = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
