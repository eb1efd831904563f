"""A sender is woken from another thread, again and again, and never sleeps through it."""

import asyncio
import sys
import threading
import time

import pytest
from viser._messages import SetPositionMessage
from viser.infra._async_message_buffer import AsyncMessageBuffer

from poise.robot import load_robot
from poise.studio import open_studio
from poise.viewer.waking import Wake, WokenBuffer
from visitor import visit


@pytest.fixture
def loop():
    """An event loop in a thread of its own."""
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever, daemon=True)
    thread.start()
    yield made
    made.call_soon_threadsafe(made.stop)
    thread.join()
    made.close()


@pytest.fixture
def nervous():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_every_wake_is_felt(loop, nervous):
    """The sender finds the event unset, and it is set before the sender begins to wait."""
    event, felt = Wake(loop), []

    async def sender() -> None:
        while True:
            await event.wait()
            event.clear()
            felt.append(time.monotonic())

    task = asyncio.run_coroutine_threadsafe(sender(), loop)
    for _ in range(3000):
        count = len(felt)
        event.set()
        patience = time.monotonic() + 30.0
        while len(felt) == count:
            assert time.monotonic() < patience, "it sleeps through it"
            time.sleep(0.0)
    task.cancel()


def test_a_set_between_a_look_and_a_wait_wakes(loop):
    """The very moment: another thread sets it while the sender is about to wait."""
    event = Wake(loop)

    async def sender() -> bool:
        make = loop.create_future

        def late() -> asyncio.Future:  # what `wait` calls after it has looked
            other = threading.Thread(target=event.set)
            other.start()
            other.join()
            return make()

        event._get_loop = lambda: type("Loop", (), {"create_future": staticmethod(late)})
        return await asyncio.wait_for(event.wait(), 10.0)

    assert asyncio.run_coroutine_threadsafe(sender(), loop).result(timeout=20.0)


def test_messages_come_in_order_and_all(loop, nervous):
    buffer, heard = WokenBuffer(loop, persistent_messages=False), []
    assert isinstance(buffer, AsyncMessageBuffer)

    async def sender() -> None:
        async for window in buffer.window_generator(0):
            heard.extend(message.name for message in window)

    task = asyncio.run_coroutine_threadsafe(sender(), loop)
    names = [f"/{k}" for k in range(2000)]
    for name in names:
        buffer.push(SetPositionMessage(name, (0.0, 0.0, 0.0)))
        buffer.flush()
    patience = time.monotonic() + 30.0
    while len(heard) < len(names):
        assert time.monotonic() < patience, f"{len(heard)} of {len(names)} messages"
        time.sleep(0.01)
    assert heard == names
    buffer.set_done()
    task.result(timeout=10.0)


def test_the_pages_of_poise_are_woken_so():
    with open_studio(load_robot("nao"), port=0, block=False) as studio, visit(studio.address):
        patience = time.monotonic() + 60.0
        while not studio.sessions:
            assert time.monotonic() < patience
            time.sleep(0.02)
        [session] = studio.sessions.values()
        assert isinstance(session.client._websock_connection.get_message_buffer(), WokenBuffer)
