"""When a hand takes hold of a slider: viser tells values on the way, not where a drag begins."""

from __future__ import annotations

import threading
from collections.abc import Callable

import viser

# Viser asks a browser not to do what it does by default with a press on the view, from where that
# has no effect; Chromium calls this an error each time, and need not be asked.
# The page itself presses a key that no person presses, each time the mouse goes down on a slider.
_SCRIPT = """
(function () {
  if (window.__poiseHands) return;
  window.__poiseHands = true;
  document.addEventListener('pointerdown', function (e) {
    if (!e.target.closest || !e.target.closest('.mantine-Slider-root')) return;
    document.body.dispatchEvent(new KeyboardEvent('keydown', {
      key: 'Insert', code: 'Insert', ctrlKey: true, shiftKey: true, bubbles: true
    }));
  }, true);
  var prevent = Event.prototype.preventDefault;
  Event.prototype.preventDefault = function () {
    var idle = this.type === 'pointerdown' && this.button === 0 && this.target.tagName === 'CANVAS';
    if (!idle) prevent.call(this);
  };
})()
"""


def watch_hands(client: viser.ClientHandle, press: Callable[[], None]) -> None:
    """Call `press` whenever the mouse goes down on a slider of a browser."""
    command = client.gui.add_command(
        "A slider was taken hold of",
        description="The page tells itself so; undo counts a whole drag as one step.",
        hotkey="insert",
        modifier="cmd/ctrl+shift",
    )
    command.on_trigger(lambda _: press())
    script = _SCRIPT.replace("\n", " ").replace('"', "&quot;")
    client.gui.add_html(f'<img src="data:," alt="" style="display:none" onerror="{script}">')


# A page takes what it is told in order: once it has drawn this and pressed the key, it has heard
# everything before. It presses again until somebody listens.
_ANSWER = """
(function (it) {
  var left = 100, timer, press = function () {
    if (--left < 0 || !document.contains(it)) return clearInterval(timer);
    document.body.dispatchEvent(new KeyboardEvent('keydown', {
      key: 'Home', code: 'Home', ctrlKey: true, shiftKey: true, bubbles: true
    }));
  };
  timer = setInterval(press, 200);
  requestAnimationFrame(function () { requestAnimationFrame(press); });
})(this)
"""


class Question:
    """Asks a browser whether it has heard all it was told so far; `heard` is set when it has.

    A slow page may be many seconds behind. What is taken away before the page has heard the last
    news about it is an error there, and what comes too early keeps it from drawing.

    Args:
        client: the browser.
    """

    def __init__(self, client: viser.ClientHandle) -> None:
        self.heard = threading.Event()
        self._command = client.gui.add_command(
            "The page has heard everything",
            description="The page tells so itself.",
            hotkey="home",
            modifier="cmd/ctrl+shift",
        )
        self._command.on_trigger(lambda _: self.heard.set())
        script = _ANSWER.replace("\n", " ").replace('"', "&quot;")
        self._answer = client.gui.add_html(
            f'<img src="data:," alt="" style="display:none" onerror="{script}">'
        )

    def forget(self) -> None:
        """Do not ask any longer."""
        self._answer.remove()
        self._command.remove()


def wait_until_heard(client: viser.ClientHandle, patience: float) -> bool:
    """Wait until a browser has heard all it was told; whether it has, within `patience` [s]."""
    question = Question(client)
    found = question.heard.wait(patience)
    question.forget()
    return found
