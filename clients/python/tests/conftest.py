"""The tests run against a real gateway with a worker: the one of ``ISOPOD_URL``."""

import os
import sys
from pathlib import Path

import pytest

# For these tests, and for the programs that they start.
SOURCE = str(Path(__file__).parents[1] / "src")
sys.path.insert(0, SOURCE)
os.environ["PYTHONPATH"] = SOURCE

from isopod import Isopod  # noqa: E402


@pytest.fixture
def client() -> Isopod:
    """A client of the gateway; without one, the test is skipped."""
    needs_gateway()
    return Isopod()


@pytest.fixture
def gateway() -> None:
    """For tests whose code makes its own client from the environment."""
    needs_gateway()


def needs_gateway() -> None:
    """Skips the test where there is no gateway."""
    if not os.environ.get("ISOPOD_URL"):
        pytest.skip("ISOPOD_URL names no gateway")
