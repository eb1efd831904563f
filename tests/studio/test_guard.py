"""Who may come in."""

import pytest

from poise.studio.guard import COOKIE, is_local, new_token, refusal


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
