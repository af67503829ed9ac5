"""Patience of tests on slow hosts: ``TEST_TIME_FACTOR``. It never changes the limits of a program."""

import os

TIME_FACTOR = float(os.environ.get("TEST_TIME_FACTOR") or 1)


def scaled(seconds: float) -> float:
    """A time that a test waits on this host."""
    return seconds * TIME_FACTOR
