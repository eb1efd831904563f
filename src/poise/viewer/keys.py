"""Keys of a page: viser's commands, and a little help for keys that viser itself also uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import viser

from poise.viewer.dialogs import Dialogs

# The arrow keys also turn viser's camera, because it listens to the whole document. Commands are
# heard one level below, so an arrow that goes no further than there steps and does not turn. A
# click should not leave the focus on a button, a box or a list either: the space bar would press
# it again, and the other keys would go there. Viser knows no question mark: it becomes an H.
_SCRIPT = """
(function () {
  if (window.__poiseKeys) return;
  window.__poiseKeys = true;
  var page = document.documentElement;
  var typing = function (e) { return /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName); };
  ['keydown', 'keyup'].forEach(function (kind) {
    page.addEventListener(kind, function (e) {
      if (e.key.indexOf('Arrow') === 0 && !typing(e)) e.stopPropagation();
    });
  });
  document.addEventListener('keydown', function (e) {
    if (e.key !== '?' || typing(e)) return;
    document.body.dispatchEvent(new KeyboardEvent('keydown', {
      key: 'h', code: 'KeyH', bubbles: true
    }));
  });
  var tools = 'button, [role=slider], input[type=checkbox]';
  ['pointerup', 'click'].forEach(function (kind) {
    page.addEventListener(kind, function (e) {
      var chosen = e.target.closest && e.target.closest('[role=option]');
      var leave = function () {
        var a = document.activeElement;
        if (a && (chosen || a.matches(tools))) a.blur();
      };
      leave();
      setTimeout(leave, 0);
    });
  });
})()
"""


@dataclass(frozen=True)
class Key:
    """A key, what it does, and the words for it."""

    hotkey: Any  # one of viser's names of keys
    words: str
    act: Callable[[], None]
    modifier: Any = None

    @property
    def shown(self) -> str:
        """The key as people write it."""
        arrows = {"arrowleft": "←", "arrowright": "→", "arrowup": "↑", "arrowdown": "↓"}
        name = arrows.get(self.hotkey, str(self.hotkey).capitalize())
        return f"{self.modifier.capitalize()} {name}" if self.modifier else name


def _run(key: Key, event: viser.CommandEvent) -> None:
    key.act()


def add_keys(client: viser.ClientHandle, keys: list[Key], dialogs: Dialogs) -> None:
    """Give a browser its keys, and the page the help that shows them (H)."""

    def show_help() -> None:
        with dialogs.open("Keys"):
            rows = "\n".join(f"| **{key.shown}** | {key.words} |" for key in listed)
            client.gui.add_markdown(f"| | |\n|---|---|\n{rows}")

    listed = [
        *keys,
        Key("H", "These keys; also ?", show_help),
        Key("escape", "Close what is open", dialogs.close_last),
    ]
    for key in listed:
        command = client.gui.add_command(key.words, hotkey=key.hotkey, modifier=key.modifier)
        command.on_trigger(partial(_run, key))
    script = _SCRIPT.replace("\n", " ").replace('"', "&quot;")
    client.gui.add_html(f'<img src="data:," alt="" style="display:none" onerror="{script}">')
