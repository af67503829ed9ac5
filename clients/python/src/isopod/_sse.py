"""Parses server-sent events, the part of the HTML standard that gateways use."""

from __future__ import annotations

from typing import Iterable, Iterator, List, Tuple


def events_of(lines: Iterable[bytes]) -> Iterator[Tuple[str, str, str]]:
    """Yields id, type and data of each event; drops an event that the stream's end cuts off."""
    last_id = ""
    kind = "message"
    data: List[str] = []
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line == "":
            if data:
                yield last_id, kind, "\n".join(data)
            kind, data = "message", []
            continue
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "id":
            last_id = value
        elif field == "event":
            kind = value
        elif field == "data":
            data.append(value)
