import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poise.viewer.playback import Playback

TIMES = np.array([1.0, 1.1, 1.2, 1.3, 1.4])


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("advance"), st.floats(0.0, 10.0)),
            st.tuples(st.just("seek"), st.floats(-100.0, 100.0)),
            st.tuples(st.just("step"), st.integers(-9, 9).filter(bool)),
            st.tuples(st.just("toggle"), st.none()),
        )
    ),
    st.booleans(),
)
def test_whatever_is_pressed_the_time_stays_in_the_motion(presses, loop):
    play = Playback(TIMES)
    play.loop = loop
    for name, value in presses:
        getattr(play, name)(*([] if value is None else [value]))
        assert play.start <= play.time <= play.end
        k, s = play.between()
        assert 0 <= k < len(TIMES) - 1
        assert -1e-9 <= s <= 1.0 + 1e-9
        assert (1.0 - s) * TIMES[k] + s * TIMES[k + 1] == pytest.approx(play.time)


def test_it_plays_at_its_speed():
    play = Playback(TIMES)
    play.toggle()
    play.speed = 2.0
    play.advance(0.1)
    assert play.time == pytest.approx(1.2)


def test_the_speed_is_held_between_a_tenth_and_four():
    play = Playback(TIMES)
    for asked, given_speed in ((0.0, 0.1), (9.0, 4.0), (0.5, 0.5)):
        play.speed = asked
        assert play.speed == given_speed


def test_at_the_end_it_starts_over_or_stops():
    play = Playback(TIMES)
    play.toggle()
    play.advance(0.5)
    assert play.playing
    assert play.time == pytest.approx(1.1)
    play.loop = False
    play.advance(1.0)
    assert not play.playing
    assert play.time == play.end
    play.toggle()
    assert play.playing
    assert play.time == play.start


def test_a_step_goes_to_the_next_instant_and_pauses():
    play = Playback(TIMES)
    play.seek(1.15)
    play.toggle()
    play.step(1)
    assert (play.time, play.playing) == (1.2, False)
    play.seek(1.15)
    play.step(-1)
    assert play.time == 1.1
    play.step(-1)
    play.step(-1)
    assert play.time == 1.0
    play.step(99)
    assert play.time == 1.4


def test_a_single_instant_can_be_looked_at():
    play = Playback(np.array([0.0]))
    play.toggle()
    play.advance(1.0)
    assert (play.time, play.playing, play.between()) == (0.0, False, (0, 0.0))
