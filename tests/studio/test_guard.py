"""Who may come in."""

import http.client
import inspect

import pytest
import websockets.exceptions
import websockets.sync.client
from viser import __version__

from poise.studio import open_studio
from poise.studio.guard import COOKIE, guarded, is_local, new_token, refusal
from poise.viewer.server import open_server


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.9.9.9"])
def test_this_machine_is_local(host):
    assert is_local(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.2", "example.org", ""])
def test_other_addresses_are_not(host):
    assert not is_local(host)


def test_pages_of_this_server_come_in():
    for origin in (None, "http://127.0.0.1:8080"):
        headers = {"Host": "127.0.0.1:8080"} | ({"Origin": origin} if origin else {})
        assert refusal("/", headers, True, None) is None


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:9", "null", ""])
def test_pages_from_elsewhere_do_not(origin):
    headers = {"Host": "127.0.0.1:8080", "Origin": origin}
    assert "elsewhere" in (refusal("/", headers, True, None) or "")


def test_a_name_that_was_bent_to_this_machine_is_refused():
    headers = {"Host": "evil.example:8080", "Origin": "http://evil.example:8080"}
    assert "alone" in (refusal("/", headers, True, None) or "")


def test_from_outside_a_token_is_needed():
    token = new_token()
    host = {"Host": "10.0.0.5:8080"}
    assert "token" in (refusal("/", host, False, token) or "")
    assert "token" in (refusal("/?token=wrong", host, False, token) or "")
    assert "token" in (refusal("/?token=", host, False, token) or "")
    assert refusal(f"/?token={token}", host, False, token) is None
    assert refusal("/", host | {"Cookie": f"a=b; {COOKIE}={token}"}, False, token) is None
    assert "token" in (refusal("/", host | {"Cookie": f"{COOKIE}=é"}, False, token) or "")
    assert len({new_token() for _ in range(50)}) == 50


def test_the_studio_listens_to_this_machine_alone_unless_told():
    assert inspect.signature(open_studio).parameters["host"].default == "127.0.0.1"


@pytest.fixture
def outside():
    """The port and the token of a server that listens to every machine."""
    token = new_token()
    with guarded("0.0.0.0", token):
        server = open_server("0.0.0.0", 0, "guarded")
    yield server.get_port(), token
    server.stop()


def asked(port: int, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20.0)
    connection.request("GET", path, headers=headers)
    return connection.getresponse()


def test_a_server_for_other_machines_lets_nobody_in_without_the_token(outside):
    port, token = outside
    assert asked(port, "/").status == 403
    assert asked(port, "/?token=guess").status == 403
    welcome = asked(port, f"/?token={token}")
    assert welcome.status == 200
    cookie = welcome.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert asked(port, "/", Cookie=cookie.split(";")[0]).status == 200
    assert asked(port, f"/?token={token}", Origin="http://evil.example").status == 403


def test_the_line_of_the_page_needs_the_token_too(outside):
    port, token = outside
    speech = [f"viser-v{__version__}"]
    with pytest.raises(websockets.exceptions.InvalidStatus, match="403"):
        websockets.sync.client.connect(f"ws://127.0.0.1:{port}", subprotocols=speech)
    cookie = {"Cookie": f"{COOKIE}={token}"}
    with websockets.sync.client.connect(
        f"ws://127.0.0.1:{port}", subprotocols=speech, additional_headers=cookie
    ) as line:
        assert line.recv(timeout=20.0)
