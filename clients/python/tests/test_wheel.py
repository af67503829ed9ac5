"""The package builds with what Debian has, and works from its wheel."""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("pip", "setuptools", "wheel")),
    reason="pip, setuptools or wheel are not installed",
)
def test_a_wheel_has_the_package_and_its_types(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("__pycache__", "tests"))
    arguments = ["-m", "pip", "wheel", str(source), "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run(
        [sys.executable, *arguments, "-w", str(tmp_path)],
        check=True,
        capture_output=True,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
    [wheel] = tmp_path.glob("isopod-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"isopod/__init__.py", "isopod/py.typed", "isopod/grade.py"} <= set(names)
    assert not [name for name in names if name.startswith("tests")]
    code = "import isopod; print(isopod.__file__)"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(wheel)},
    )
    assert str(wheel) in ended.stdout


def test_the_package_needs_nothing_but_the_standard_library():
    code = "import isopod, isopod.grade, sys; print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert "isopod.grade" in ended.stdout
