"""The studio: one server, a session for every browser."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import viser

from poise.robot import Robot
from poise.studio.guard import guarded, is_local, new_token
from poise.studio.tidy import tidy
from poise.studio.workshop import Workshop
from poise.viewer.server import Served, announce, open_server

if TYPE_CHECKING:
    from poise.studio.session import Session


class Studio(Served):
    """The page in the air, with its sessions.

    Args:
        server: the viser server that carries it.
        host: as it was asked for.
        robot: new sessions begin with it.
        shadows: whether new sessions draw them.
    """

    def __init__(
        self, server: viser.ViserServer, host: str, robot: Robot, shadows: bool = False
    ) -> None:
        super().__init__(server, host, on_stop=self._close)
        self.robot, self.shadows = robot, shadows
        self.workshop = Workshop()
        self.sessions: dict[int, Session] = {}
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Let browsers in; who came before is waiting, and is served first.

        The port is open before the engines are imported and the robot is drawn: a browser takes
        a second or two to load the page, and both go on at once.
        """
        import poise.studio.session  # noqa: F401  (all that is heavy)
        from poise.studio.live_walk import warm
        from poise.viewer.looks import looks_of

        looks_of(self.robot)  # before anyone waits for it
        warm(self.robot)
        self.server.on_client_connect(self._enter)
        self.server.on_client_disconnect(self._leave)

    def _enter(self, client: viser.ClientHandle) -> None:
        from poise.studio.session import Session

        session = Session(client, self.robot, self.workshop, self.shadows)
        with self._lock:
            self.sessions[client.client_id] = session
        if client.client_id not in self.server.get_clients():  # left while it was seated
            self._leave(client)

    def _leave(self, client: viser.ClientHandle) -> None:
        with self._lock:
            session = self.sessions.pop(client.client_id, None)
        if session is not None:
            session.close()
            session.thread.join(timeout=5.0)
            del session
            tidy(alone=not self.sessions)

    def _close(self) -> None:
        with self._lock:
            sessions, self.sessions = list(self.sessions.values()), {}
        for session in sessions:
            session.close()
        for session in sessions:
            session.thread.join(timeout=5.0)
        self.workshop.close()


def open_studio(
    robot: Robot,
    host: str = "127.0.0.1",
    port: int = 8080,
    block: bool = True,
    shadows: bool = False,
) -> Studio:
    """Open the studio; prints its address on standard error.

    Args:
        robot: whom new sessions begin with.
        host: address to listen on; the default is this machine alone.
        port: the port, or the next free one.
        block: serve until Ctrl-C; otherwise return at once, and `stop()` what is returned.
        shadows: draw with shadows and reflections; slow without a graphics card.
    """
    token = None if is_local(host) else new_token()
    with guarded(host, token):
        server = open_server(host, port, label="poise studio")
    from poise.viewer.stage import set_out

    set_out(server, robot)
    studio = Studio(server, host, robot, shadows)
    if token is not None:
        studio.address = f"{studio.address}/?token={token}"
    announce(studio, f"poise studio, {robot.title}")
    studio.begin()
    if block:
        studio.wait()
    return studio
