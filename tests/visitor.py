"""Browsers without a browser: they come in as viser's page does, look for a while, and leave."""

from __future__ import annotations

import msgspec
import websockets.sync.client
from viser import __version__


def camera() -> bytes:
    """The first thing that a page says: where its camera is."""
    return msgspec.msgpack.encode(
        {
            "type": "ViewerCameraMessage",
            "wxyz": [1.0, 0.0, 0.0, 0.0],
            "position": [1.0, -1.0, 0.5],
            "fov": 0.65,
            "near": 0.01,
            "far": 200.0,
            "image_height": 700,
            "image_width": 1000,
            "look_at": [0.0, 0.0, 0.2],
            "up_direction": [0.0, 0.0, 1.0],
        }
    )


def visit(address: str) -> websockets.sync.client.ClientConnection:
    """Come in; close what is returned to leave."""
    socket = websockets.sync.client.connect(
        address.replace("http", "ws", 1),
        subprotocols=[f"viser-v{__version__}"],  # type: ignore[list-item]
        origin=address,  # type: ignore[arg-type]
        max_size=None,
    )
    socket.send(camera())
    return socket
