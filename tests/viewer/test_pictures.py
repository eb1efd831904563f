import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from poise.errors import BadInput
from poise.viewer.pictures import film_strip, video


def frames(count: int, height: int = 60, width: int = 80) -> list[np.ndarray]:
    """Flat pictures, each darker than the one before."""
    return [np.full((height, width, 3), 250 - 10 * k, np.uint8) for k in range(count)]


def test_a_strip_shows_evenly_spaced_instants_first_and_last_included(tmp_path):
    path = film_strip(frames(21), np.arange(21) * 0.1, tmp_path / "strip.png", count=5)
    strip = np.asarray(Image.open(path).convert("RGB"))
    row = strip[40, :, 0].astype(int)
    seen = [int(v) for v in row[np.r_[True, np.diff(row) != 0]] if v in range(50, 251, 10)]
    assert seen == [250, 200, 150, 100, 50]


def test_a_strip_is_wrapped_into_columns_and_makes_room_for_words(tmp_path):
    pictures, times = frames(8), np.arange(8.0)
    plain = Image.open(film_strip(pictures, times, tmp_path / "a.png"))
    wrapped = Image.open(film_strip(pictures, times, tmp_path / "b.png", columns=4))
    titled = Image.open(film_strip(pictures, times, tmp_path / "c.png", title="A walk"))
    assert wrapped.width < plain.width
    assert wrapped.height > plain.height
    assert titled.height > plain.height


def test_a_wide_strip_is_made_smaller(tmp_path):
    path = film_strip(frames(8, 600, 800), np.arange(8.0), tmp_path / "strip.jpg")
    assert Image.open(path).width <= 2600


def test_a_video_has_its_frames_its_rate_and_plays_everywhere(tmp_path):
    path = video(iter(frames(12, 61, 81)), tmp_path / "a.mp4", rate=24.0)  # odd sizes too
    probe = subprocess.run(
        [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path)], capture_output=True, text=True
    ).stderr
    assert "h264" in probe
    assert "yuv420p" in probe
    assert "80x60" in probe
    assert "24 fps" in probe
    count, _ = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert count == 12


def test_a_gif_moves(tmp_path):
    path = video(frames(6), tmp_path / "a.gif", rate=10.0)
    picture = Image.open(path)
    assert picture.n_frames == 6
    assert picture.info["duration"] == 100


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: film_strip([], [], p / "a.png"), "frames is none"),
        (lambda p: film_strip(frames(2), [0.0], p / "a.png"), "times is 1 of them"),
        (lambda p: film_strip(frames(2), [0.0, 1.0], p / "a.bmp"), "accepted: .png"),
        (lambda p: film_strip(frames(2), [0, 1], p / "no" / "a.png"), "an existing folder"),
        (lambda p: film_strip([np.zeros((4, 4))], [0], p / "a.png"), "uint8"),
        (lambda p: video([], p / "a.mp4", 10.0), "frames is none"),
        (lambda p: video(frames(2), p / "a.avi", 10.0), "accepted: .mp4 or .gif"),
        (lambda p: video(frames(2), p / "a.mp4", 0.0), "a positive number"),
        (lambda p: video([*frames(2), *frames(1, 9, 9)], p / "a.mp4", 9.0), "frame 2"),
    ],
)
def test_what_cannot_be_written_is_one_sentence_and_leaves_nothing(tmp_path, call, words):
    with pytest.raises(BadInput, match=words):
        call(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_video_that_breaks_off_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.mp4"
    path.write_bytes(b"old")

    def broken():
        yield from frames(2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        video(broken(), path, rate=10.0)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
