"""Names of fields: snake_case in Python, camelCase on the wire."""

from __future__ import annotations

import base64
import re
from typing import Any, Mapping

# The keys in these fields are the caller's own: file names, variables, labels, data.
_VERBATIM = frozenset({"files", "env", "labels", "input_data"})


def camel_name(name: str) -> str:
    """``timeout_seconds`` → ``timeoutSeconds``"""
    return re.sub(r"(?<=[a-z0-9])_([a-z0-9])", lambda match: match[1].upper(), name)


def snake_names(text: str) -> str:
    """``limits.timeoutSeconds`` → ``limits.timeout_seconds``"""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: f"_{match[0].lower()}", text)


def to_wire(value: Any) -> Any:
    """A job, or a part of one, with the names of the wire. None stays, for the gateway to refuse."""
    if isinstance(value, Mapping):
        return {camel_name(str(name)): _field(str(name), each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_wire(each) for each in value]
    return value


def from_wire(value: Any) -> Any:
    """A result, or a part of one, with the names of Python."""
    if isinstance(value, Mapping):
        return {
            snake_names(name): each if name == "labels" else from_wire(each)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [from_wire(each) for each in value]
    return value


def _field(name: str, value: Any) -> Any:
    plain = snake_names(name)
    if plain == "files" and isinstance(value, Mapping):
        return {path: _file(content) for path, content in value.items()}
    return value if plain in _VERBATIM else to_wire(value)


def _file(content: Any) -> Any:
    if not isinstance(content, (bytes, bytearray)):
        return content
    return {"content": base64.b64encode(content).decode("ascii"), "encoding": "base64"}
