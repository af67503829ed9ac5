"""HTTP to a gateway with the standard library. Each call opens its own connection."""

from __future__ import annotations

import http.client
import json
import ssl
from contextlib import contextmanager, suppress
from typing import Any, Dict, Iterator, Mapping, Optional
from urllib.parse import urlsplit

from ._abort import Abort, Aborted
from ._names import snake_names
from .errors import (
    ConfigError,
    FieldProblem,
    InvalidJobError,
    IsopodError,
    UnavailableError,
    error_of,
)

CONNECT_SECONDS = 10.0
# The gateway responds at once, or when the `wait` of the request ends.
ANSWER_SECONDS = 30.0


class Transport:
    """Requests to one gateway. Safe to use from many threads."""

    def __init__(self, url: str, key: Optional[str]) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise ConfigError("ISOPOD_URL: must be an http or https URL") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"ISOPOD_URL: must be an http or https URL, got {url!r}")
        if parts.username is not None or parts.query or parts.fragment:
            raise ConfigError("ISOPOD_URL: must have no user, password, query or fragment")
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
            raise ConfigError("ISOPOD_API_KEY: must be visible ASCII characters")
        self._host = parts.hostname
        self._port = port
        self._base = parts.path.rstrip("/")
        self._ssl = ssl.create_default_context() if parts.scheme == "https" else None
        self._headers = {"Connection": "close", "User-Agent": "isopod-python"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self.url = url

    def request(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        *,
        wait: float = 0,
        abort: Optional[Abort] = None,
    ) -> Any:
        """The JSON of an answer.

        :param wait: seconds that the gateway may wait before it answers
        :raises IsopodError: as the gateway's problem document says, or if it cannot be reached
        """
        seconds = ANSWER_SECONDS + wait
        with self._exchange(method, path, encode(body), {}, seconds, abort) as response:
            text = response.read()
        return self._parsed(text)

    @contextmanager
    def stream(
        self, path: str, headers: Mapping[str, str], seconds: float, abort: Optional[Abort]
    ) -> Iterator[http.client.HTTPResponse]:
        """An answer that is read line by line.

        :param seconds: longest silence
        """
        with self._exchange("GET", path, None, headers, seconds, abort) as response:
            yield response

    @contextmanager
    def _exchange(
        self,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Mapping[str, str],
        seconds: float,
        abort: Optional[Abort],
    ) -> Iterator[http.client.HTTPResponse]:
        connection = self._connection()
        abort = abort or Abort()
        try:
            connection.connect()
            connection.sock.settimeout(seconds)
            with abort.watching(connection.sock):
                type_header = {} if body is None else {"Content-Type": "application/json"}
                all_headers = {**self._headers, **type_header, **headers}
                # A gateway that refuses a large body responds before it has read it, and closes.
                with suppress(BrokenPipeError, ConnectionResetError):
                    connection.request(method, self._base + path, body, all_headers)
                with connection.getresponse() as response:
                    if response.status >= 300:
                        raise self._refusal(response)
                    yield response
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, IsopodError):
                raise
            if abort.is_set():
                raise Aborted from None
            raise self._unreachable(error) from error
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        if self._ssl is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=CONNECT_SECONDS)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=CONNECT_SECONDS, context=self._ssl
        )

    def _refusal(self, response: http.client.HTTPResponse) -> IsopodError:
        text = response.read()
        try:
            problem = json.loads(text)
        except ValueError:
            problem = None
        if not isinstance(problem, dict) or "code" not in problem:
            return UnavailableError(
                f"{self.url} responded with HTTP {response.status} and no problem document; "
                "set ISOPOD_URL to the URL of an Isopod gateway"
            )
        return error_of(response.status, problem, _seconds(response.getheader("Retry-After")))

    def _parsed(self, text: bytes) -> Any:
        try:
            return json.loads(text)
        except ValueError:
            raise UnavailableError(
                f"{self.url} did not respond with JSON; "
                "set ISOPOD_URL to the URL of an Isopod gateway"
            ) from None

    def _unreachable(self, error: Exception) -> UnavailableError:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return UnavailableError(
            f"The gateway at {self.url} cannot be reached ({reason}); "
            "start one with 'isopod up', or set ISOPOD_URL"
        )


def encode(body: Optional[Mapping[str, Any]]) -> Optional[bytes]:
    """Encodes a body as JSON, without NaN and infinity.

    :raises InvalidJobError: naming the field that JSON cannot represent
    """
    if body is None:
        return None
    pieces: Dict[str, str] = {}
    for field, value in body.items():
        try:
            pieces[field] = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            name = snake_names(field)
            message = f"{name}: must be JSON ({error})"
            raise InvalidJobError([FieldProblem(name, message)]) from error
    fields = ", ".join(f"{json.dumps(field)}: {text}" for field, text in pieces.items())
    return f"{{{fields}}}".encode("ascii")


def _seconds(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and text.isdecimal() else None
