"""Pictures as files: a film strip of a motion, and a video, from frames someone rendered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from poise.errors import BadInput
from poise.files import whole_path
from poise.viewer.files import to_write

MOST_ACROSS = 8  # instants in a row of a strip, unless told otherwise
MOST_SHOWN = 16  # instants of a strip, unless told otherwise
WIDEST = 2400  # [px]
PICTURES = (".png", ".jpg", ".jpeg", ".webp")
VIDEOS = (".mp4", ".gif")

_PAPER = (255, 255, 255)
_INK = (38, 42, 48)
_PALE_INK = (110, 116, 126)
_LINE = (222, 225, 230)


def film_strip(
    frames: Sequence[np.ndarray],
    times: Sequence[float] | np.ndarray,
    path: Path | str,
    columns: int | None = None,
    title: str | None = None,
    captions: Sequence[str] | None = None,
    count: int | None = None,
) -> Path:
    """Evenly spaced instants of a motion side by side, as one picture.

    Args:
        frames: pictures, each (height, width, 3) uint8, all of one size.
        times: the instant of each frame [s].
        path: where to write; .png, .jpg or .webp.
        columns: how many instants in a row (8).
        title: a line above.
        captions: words under each frame, beside its time.
        count: how many instants to show (16, or all if fewer).
    """
    path = to_write(path, PICTURES)
    _check_frames(frames, path)
    if len(times) != len(frames):
        raise BadInput(path, "times", f"{len(times)} of them", f"one for each of {len(frames)}")
    if captions is not None and len(captions) != len(frames):
        raise BadInput(path, "captions", f"{len(captions)} of them", f"{len(frames)}")
    shown = min(len(frames), count or MOST_SHOWN)
    chosen = np.unique(np.linspace(0, len(frames) - 1, max(shown, 1)).round().astype(int))
    across = min(columns or MOST_ACROSS, len(chosen))
    labels = [
        (f"{float(times[k]):.2f} s", captions[k] if captions is not None else "") for k in chosen
    ]
    strip = _compose([frames[k] for k in chosen], labels, across, title)
    with whole_path(path) as temporary:
        strip.save(temporary, quality=92)
    return path


def video(frames: Iterable[np.ndarray], path: Path | str, rate: float) -> Path:
    """Frames as a video: H.264 in .mp4, which every browser plays, or a .gif.

    Args:
        frames: pictures, each (height, width, 3) uint8, all of one size; may be a stream.
        path: where to write; .mp4 or .gif.
        rate: frames per second [Hz].
    """
    path = to_write(path, VIDEOS)
    if not rate > 0.0:
        raise BadInput(path, "rate", f"{rate} Hz", "a positive number")
    stream = iter(frames)
    first = next(stream, None)
    if first is None:
        raise BadInput(path, "frames", "none", "at least one picture")
    _check_frames([first], path)
    with whole_path(path) as temporary:
        if path.suffix.lower() == ".gif":
            _write_gif(_same_size(first, stream, path), temporary, rate)
        else:
            _write_mp4(first, _same_size(first, stream, path), temporary, rate)
    return path


# -- a strip -------------------------------------------------------------------------------


def _compose(
    frames: list[np.ndarray], labels: list[tuple[str, str]], across: int, title: str | None
) -> Image.Image:
    height, width = frames[0].shape[:2]
    scale = min(1.0, WIDEST / (across * width))
    width, height = round(scale * width), round(scale * height)
    text = max(12, round(0.055 * height))
    edge, gap = round(0.9 * text), max(2, round(0.012 * width))
    head = round(2.3 * text) if title else 0
    foot = round(1.9 * text)
    rows = -(-len(frames) // across)
    size = (
        2 * edge + across * width + (across - 1) * gap,
        edge + head + rows * (height + foot) + (rows - 1) * gap + edge // 2,
    )
    strip = Image.new("RGB", size, _PAPER)
    pen = ImageDraw.Draw(strip)
    if title:
        pen.text((edge, edge), title, fill=_INK, font=_font(1.35 * text))
    for k, (frame, (time, caption)) in enumerate(zip(frames, labels, strict=True)):
        x = edge + (k % across) * (width + gap)
        y = edge + head + (k // across) * (height + foot + gap)
        picture = Image.fromarray(frame).resize((width, height), Image.Resampling.LANCZOS)
        strip.paste(picture, (x, y))
        pen.rectangle((x, y, x + width - 1, y + height - 1), outline=_LINE)
        below = y + height + round(0.35 * text)
        pen.text((x + 2, below), time, fill=_INK, font=_font(text))
        if caption:
            after = x + 2 + pen.textlength(f"{time}   ", font=_font(text))
            pen.text((after, below), caption, fill=_PALE_INK, font=_font(text))
    return strip


def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=round(size))


# -- a video -------------------------------------------------------------------------------


def _write_mp4(first: np.ndarray, frames: Iterable[np.ndarray], path: Path, rate: float) -> None:
    height, width = first.shape[:2]
    even = (slice(0, height - height % 2), slice(0, width - width % 2))  # H.264 halves colours
    writer = imageio_ffmpeg.write_frames(
        str(path),
        (width - width % 2, height - height % 2),
        fps=rate,
        codec="libx264",
        pix_fmt_in="rgb24",
        pix_fmt_out="yuv420p",
        quality=None,
        macro_block_size=2,
        output_params=["-crf", "20", "-preset", "medium", "-movflags", "+faststart"],
        ffmpeg_log_level="error",
    )
    writer.send(None)
    try:
        for frame in frames:
            writer.send(np.ascontiguousarray(frame[even]))
    finally:
        writer.close()


def _write_gif(frames: Iterable[np.ndarray], path: Path, rate: float) -> None:
    pictures = [
        Image.fromarray(frame).quantize(128, method=Image.Quantize.MEDIANCUT) for frame in frames
    ]
    pictures[0].save(
        path,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=max(20, round(1000.0 / rate)),
        loop=0,
    )


def _same_size(first: np.ndarray, rest: Iterator[np.ndarray], path: Path) -> Iterator[np.ndarray]:
    yield first
    for k, frame in enumerate(rest, start=1):
        _check_frames([first, frame], path, k)
        yield frame


def _check_frames(frames: Sequence[np.ndarray], path: Path, number: int = 0) -> None:
    if not len(frames):
        raise BadInput(path, "frames", "none", "at least one picture")
    for frame in frames:
        if frame.ndim != 3 or frame.shape[2] != 3 or frame.dtype != np.uint8:
            found = f"{frame.dtype} of shape {frame.shape}"
            raise BadInput(path, f"frame {number}", found, "(height, width, 3) uint8")
        if frame.shape != frames[0].shape:
            found = f"of shape {frame.shape}"
            raise BadInput(path, f"frame {number}", found, f"{frames[0].shape}, like the first")
