"""What callers get where the gateway refuses, or where there is none."""

import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from isopod import (
    AccessError,
    ConfigError,
    Isopod,
    UnavailableError,
    WaitTimeoutError,
)


@pytest.fixture
def keyed():
    """URL of a gateway with keys and without workers, and a function from scope to key."""
    url = os.environ.get("ISOPOD_KEYED_URL")
    if not url:
        pytest.skip("ISOPOD_KEYED_URL names no gateway with keys")
    return url, lambda scope: os.environ[f"ISOPOD_{scope.upper()}_KEY"]


def test_a_gateway_that_is_not_there_is_one_sentence():
    with pytest.raises(UnavailableError) as away:
        Isopod("http://127.0.0.1:9").run("1")
    assert str(away.value) == (
        "The gateway at http://127.0.0.1:9 cannot be reached (Connection refused); "
        "start one with 'isopod up', or set ISOPOD_URL"
    )


def test_a_server_that_is_not_a_gateway_is_reported():
    class Other(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(404 if "queue" in self.path else 200)
            self.end_headers()
            self.wfile.write(b"<h1>hello</h1>")

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = Isopod(f"http://127.0.0.1:{server.server_port}")
        with pytest.raises(UnavailableError, match="HTTP 404 and no problem document"):
            client.queue()
        with pytest.raises(UnavailableError, match="did not respond with JSON"):
            client.languages()
        server.shutdown()


@pytest.mark.parametrize(
    "url", ["ftp://a", "localhost:8007", "http://", "http://h:x", "http://u:p@h", "http://h/?a=1"]
)
def test_a_url_that_is_none_is_refused_without_its_password(url):
    with pytest.raises(ConfigError, match="^ISOPOD_URL: must") as refused:
        Isopod(url)
    assert "u:p" not in str(refused.value)


def test_a_key_with_a_line_break_is_refused():
    with pytest.raises(ConfigError, match="^ISOPOD_API_KEY: must"):
        Isopod("http://127.0.0.1:9", "a\r\nX-Other: b")


def test_a_gateway_with_keys_wants_one(keyed):
    url, _ = keyed
    with pytest.raises(AccessError) as refused:
        Isopod(url).submit("1")
    assert refused.value.code == "unauthorized"


def test_a_key_allows_what_its_scopes_say(keyed):
    url, key = keyed
    with pytest.raises(AccessError, match="scope submit"):
        Isopod(url, key("read")).submit("1")
    id = Isopod(url, key("submit")).submit("1")
    assert Isopod(url, key("submit")).state(id) == "waiting"
    assert Isopod(url, key("submit")).cancel(id) == "cancelled"


def test_a_job_that_no_worker_takes_is_cancelled_after_the_wait(keyed, caplog):
    url, key = keyed
    client = Isopod(url, key("submit"))
    with pytest.raises(WaitTimeoutError, match="no worker took it") as late:
        client.run("1", wait=0.5)
    assert client.result(late.value.execution_id).status == "cancelled"
    assert f"{late.value.execution_id} No worker is running" in caplog.text


def test_a_job_with_a_deadline_expires_without_a_worker(keyed):
    url, key = keyed
    result = Isopod(url, key("submit")).run("1", expires_in_seconds=1)
    assert (result.status, result.attributable) == ("cancelled", False)
    assert result.error_message == "No worker took the job within 1 s (expiresInSeconds)"
