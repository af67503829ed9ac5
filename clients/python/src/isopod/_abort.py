"""Aborts calls that block in other threads."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from typing import Iterator, Set


class Aborted(Exception):
    """Raised in a call that :meth:`Abort.set` ended. Callers of the package never see it."""


class Abort:
    """A signal that ends the calls that received it: running ones and later ones."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._sockets: Set[socket.socket] = set()

    def set(self) -> None:
        """Ends the calls. A thread that reads from a socket returns at once."""
        with self._lock:
            self._event.set()
            sockets = list(self._sockets)
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def is_set(self) -> bool:
        """Whether :meth:`set` was called."""
        return self._event.is_set()

    def raise_if_set(self) -> None:
        """:raises Aborted: if :meth:`set` was called"""
        if self._event.is_set():
            raise Aborted

    def sleep(self, seconds: float) -> None:
        """Pauses; :raises Aborted: if :meth:`set` is called meanwhile"""
        if self._event.wait(seconds):
            raise Aborted

    @contextmanager
    def watching(self, sock: socket.socket) -> Iterator[None]:
        """While the block runs, :meth:`set` ends what waits on this socket."""
        with self._lock:
            self.raise_if_set()
            self._sockets.add(sock)
        try:
            yield
        finally:
            with self._lock:
                self._sockets.discard(sock)
