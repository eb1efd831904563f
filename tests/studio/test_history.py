"""Undo and redo: a drag is one step, however long it lasts."""

from hypothesis import given
from hypothesis import strategies as st

from poise.studio.history import PAUSE, History


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def history() -> tuple[History[int], Clock]:
    clock = Clock()
    return History(0, clock), clock


def test_a_whole_drag_is_one_step_even_when_the_hand_rests():
    states, clock = history()
    states.press()
    for value in (1, 2, 3):
        states.change(value, "step length")
        clock.now += 3.0 * PAUSE
    assert states.undo() == 0
    assert states.redo() == 3


def test_two_drags_of_one_slider_are_two_steps():
    states, _ = history()
    for value in (1, 2):
        states.press()
        states.change(value, "sway")
        states.change(10 * value, "sway")
    assert states.undo() == 10
    assert states.undo() == 0


def test_other_sliders_and_presets_are_steps_of_their_own():
    states, _ = history()
    states.change(1, "sway")
    states.change(2, "turn")
    states.change(3, "")
    states.change(4, "")
    assert [states.undo() for _ in range(5)] == [3, 2, 1, 0, 0]


def test_typed_numbers_are_one_step_each_when_some_time_passes():
    states, clock = history()
    states.change(1, "sway")
    clock.now += 2.0 * PAUSE
    states.change(2, "sway")
    assert states.undo() == 1


@given(st.lists(st.sampled_from(["change", "undo", "redo"])))
def test_undo_and_redo_walk_through_the_same_states(orders):
    states, _ = history()
    line, at = [0], 0
    for k, order in enumerate(orders, start=1):
        if order == "change":
            line = [*line[: at + 1], k]
            at += 1
            states.change(k)
        elif order == "undo":
            at = max(at - 1, 0)
            states.undo()
        else:
            at = min(at + 1, len(line) - 1)
            states.redo()
        assert states.now == line[at]
        assert states.can_undo == (at > 0)
        assert states.can_redo == (at + 1 < len(line))
