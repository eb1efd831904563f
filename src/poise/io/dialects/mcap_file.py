"""Messages of an MCAP file, read within limits."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import lz4.frame
import zstandard
from mcap.exceptions import McapError
from mcap.records import Channel, Chunk, McapRecord, Message, Metadata, Schema
from mcap.stream_reader import StreamReader, breakup_chunk

from poise.io.source import MOST_BYTES, Source, bad

TROUBLE = (
    McapError,
    zstandard.ZstdError,
    struct.error,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    EOFError,
    OSError,
    RuntimeError,
    OverflowError,
    MemoryError,
)
MAGIC = b"\x89MCAP0\r\n"


@dataclass(eq=False)
class Bag:
    """Messages by topic, the schema name of each topic, and the metadata records."""

    schemas: dict[str, str] = field(default_factory=dict)  # topic -> schema name
    messages: dict[str, list[tuple[int, bytes]]] = field(default_factory=dict)  # (log time, data)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)


def read_bag(source: Source) -> Bag:
    """Everything in the file, or one sentence."""
    if "bag" not in source.kept:
        source.kept["bag"] = _read(source)
    return source.kept["bag"]


def _read(source: Source) -> Bag:
    bag = Bag()
    schemas: dict[int, str] = {}
    topics: dict[int, str] = {}
    try:
        for record in _records(source):
            if isinstance(record, Schema):
                schemas[record.id] = record.name
            elif isinstance(record, Channel):
                topics[record.id] = record.topic
                bag.schemas[record.topic] = schemas.get(record.schema_id, "")
            elif isinstance(record, Message):
                rows = bag.messages.setdefault(topics[record.channel_id], [])
                rows.append((record.log_time, record.data))
            elif isinstance(record, Metadata):
                bag.metadata[record.name] = dict(record.metadata)
    except TROUBLE as error:
        reason = str(error) or type(error).__name__
        found = f"broken ({reason})"
        raise bad(source.path, "the MCAP file", found, "a complete MCAP file") from None
    return bag


def _records(source: Source) -> Iterator[McapRecord]:
    """Records of the file and of its chunks, as long as they unfold to a reasonable size."""
    size = len(source.data)
    reader = StreamReader(io.BytesIO(source.data), emit_chunks=True, record_size_limit=size)
    unfolded = 0
    for record in reader.records:
        if not isinstance(record, Chunk):
            yield record
            continue
        content = _unfolded(record, MOST_BYTES - unfolded)
        unfolded += len(content)
        yield from breakup_chunk(replace(record, compression="", data=content), validate_crc=True)


def _unfolded(chunk: Chunk, most: int) -> bytes:
    packed = io.BytesIO(chunk.data)
    if chunk.compression == "zstd":
        content = zstandard.ZstdDecompressor().stream_reader(packed).read(most + 1)
    elif chunk.compression == "lz4":
        with lz4.frame.open(packed, "rb") as stream:
            content = stream.read(most + 1)
    elif chunk.compression == "":
        content = chunk.data
    else:
        raise ValueError(f"compression '{chunk.compression}'")
    if len(content) > most:
        raise ValueError(f"more than {MOST_BYTES} bytes when unfolded")
    if len(content) != chunk.uncompressed_size:
        raise ValueError(f"{len(content)} bytes where {chunk.uncompressed_size} were promised")
    return content
