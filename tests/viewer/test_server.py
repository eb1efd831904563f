import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from poise.errors import BadInput
from poise.viewer.server import Served, open_server

SCRIPT = """
from poise.robot import load_robot
from poise.viewer.standing import show_robot
show_robot(load_robot("nao"), port=0)
print("ended")
"""


def test_a_page_answers_where_it_says_and_stops_without_a_trace(capfd):
    before = set(threading.enumerate())
    with Served(open_server("127.0.0.1", 0, "test"), "127.0.0.1") as served:
        assert b"<html" in urllib.request.urlopen(served.address, timeout=10).read()[:2000]
    assert set(threading.enumerate()) <= before
    with Served(open_server("127.0.0.1", served.port, "test"), "127.0.0.1") as again:
        assert again.port == served.port
    assert capfd.readouterr().out == ""


def test_nobody_can_ask_a_page_to_open_itself_to_the_outside():
    with Served(open_server("127.0.0.1", 0, "test"), "127.0.0.1") as served:
        heard = {kind.__name__ for kind in served.server._websock_server._incoming_handlers}
    assert not {name for name in heard if "Share" in name}


def test_a_port_in_use_gives_way_to_the_next_one():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with Served(open_server("127.0.0.1", port, "test"), "127.0.0.1") as served:
            assert port < served.port < port + 50


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("no.such.host.invalid", 8080, "host is 'no.such.host.invalid'"),
        ("203.0.113.7", 8080, "an address of this machine"),
        ("127.0.0.1", 99999, "port is 99999"),
    ],
)
def test_an_impossible_address_is_one_sentence(host, port, words):
    with pytest.raises(BadInput, match=words):
        open_server(host, port, "test")


def test_stopping_twice_is_stopping_once():
    served = Served(open_server("127.0.0.1", 0, "test"), "127.0.0.1")
    served.stop()
    served.stop()


def test_ctrl_c_ends_a_page_politely():
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    try:
        line = child.stderr.readline()
        assert "http://127.0.0.1:" in line
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        child.kill()
    assert child.returncode == 0
    assert out == "ended\n"
    assert "Traceback" not in err
