"""A page's server: found a port, said where it is, stopped without leaving anything behind."""

from __future__ import annotations

import contextlib
import io
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import viser
from viser._messages import ShareUrlDisconnect, ShareUrlRequest

from poise.errors import BadInput
from poise.viewer.answers import answered_by
from poise.viewer.front_page import front_page
from poise.viewer.waking import wake_safely

PORTS_TRIED = 50


class Served:
    """A page in the air.

    Args:
        server: the viser server that carries it.
        host: as it was asked for.
        on_stop: called once, before the server stops.
    """

    def __init__(
        self, server: viser.ViserServer, host: str, on_stop: Callable[[], None] | None = None
    ) -> None:
        self.server = server
        self.port = server.get_port()
        shown = "localhost" if host in ("0.0.0.0", "::", "") else host
        self.address = f"http://{f'[{shown}]' if ':' in shown else shown}:{self.port}"
        self._on_stop = on_stop
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Close every connection, stop the threads and free the port."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        if self._on_stop is not None:
            self._on_stop()
        with _quiet():
            self.server.stop()
        _wait_for_workers(self.server)

    def wait(self) -> None:
        """Serve until Ctrl-C (or a polite kill), then stop."""
        enough = threading.Event()

        def end(number: int, frame: FrameType | None) -> None:
            enough.set()

        before: dict[signal.Signals, Any] = {}
        if threading.current_thread() is threading.main_thread():
            before = {s: signal.signal(s, end) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            while not enough.wait(0.2) and not self._stopped.is_set():
                pass
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            self.stop()

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def open_server(host: str, port: int, label: str) -> viser.ViserServer:
    """A viser server on a free port, the one asked for or the next one.

    Args:
        host: address to listen on; 127.0.0.1 is this machine alone.
        port: where to start looking for a free port; 0 takes any.
        label: what the page calls itself.
    """
    if not 0 <= port <= 65535:
        raise BadInput("view", "port", str(port), "a number from 0 to 65535")
    free = _free_port(host, port)
    wake_safely()
    # a browser may leave between two pictures; what was under way to it is rightly lost
    warnings.filterwarnings("ignore", message="Queued a .* on a closed connection")
    with _quiet(), answered_by(front_page(label)):
        server = viser.ViserServer(host=host, port=free, label=label, verbose=False)
    # viser would open a tunnel to the outside for whoever asks; a page here is for this machine
    for asked in (ShareUrlRequest, ShareUrlDisconnect):
        server._websock_server.unregister_handler(asked)
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(0, 92, 150))
    return server


def announce(served: Served, what: str) -> None:
    """Say on standard error where a page is; standard output belongs to results."""
    print(f"{what}: {served.address}  (Ctrl-C ends it)", file=sys.stderr, flush=True)


def _free_port(host: str, port: int) -> int:
    for candidate in range(port, min(port + PORTS_TRIED, 65536)):
        try:
            infos = socket.getaddrinfo(host or None, candidate, type=socket.SOCK_STREAM)
        except OSError as error:
            raise BadInput("view", "host", f"'{host}' ({error.strerror})", "127.0.0.1") from None
        family, kind, protocol, _, address = infos[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except PermissionError:
                raise BadInput(
                    "view", "port", f"{candidate}, which this user may not open", "1024 or more"
                ) from None
            except OSError as error:
                if not _taken(error):
                    raise BadInput(
                        "view", "host", f"'{host}' ({error.strerror})", "an address of this machine"
                    ) from None
                continue
            return int(probe.getsockname()[1])
    raise BadInput(
        "view", "port", f"{port}, taken like the {PORTS_TRIED - 1} after it", "a free port"
    )


def _taken(error: OSError) -> bool:
    import errno

    return error.errno in (errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", -1))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Viser greets and takes leave on standard output, which belongs to results."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def _wait_for_workers(server: viser.ViserServer) -> None:
    """Give the callbacks that still run a moment to end; viser does not wait for them."""
    workers = list(getattr(server._thread_executor, "_threads", ()))
    deadline = time.monotonic() + 2.0
    for worker in workers:
        worker.join(timeout=max(0.0, deadline - time.monotonic()))
