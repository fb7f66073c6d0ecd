"""The data of datasets inside of a query process, as files whose bytes the server sends on request."""

import io
import json
from collections.abc import Iterator, Sequence
from typing import cast

import pyarrow as pa

from tenuto.model.json import JsonObject
from tenuto.query.frames import MAX_FRAME_BYTES, Channel
from tenuto.sdk.jobs.table_rows import Row, table_of

READ_BYTES = MAX_FRAME_BYTES // 2


class RemoteFile(io.RawIOBase):
    """A file of this query, whose bytes are on the server. It has a number and no name."""

    def __init__(self, channel: Channel, number: int, size: int) -> None:
        self._channel, self._number, self._size = channel, number, size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = begin + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def read(self, size: int = -1, /) -> bytes:
        left = max(0, self._size - self._position)
        wanted = left if size < 0 else min(size, left)
        parts: list[bytes] = []
        while wanted:
            length = min(wanted, READ_BYTES)
            part = self._channel.request({"read": [self._number, self._position, length]})
            if len(part) != length:
                raise OSError("a file of the dataset is shorter than it was when it was listed")
            parts.append(part)
            self._position += length
            wanted -= length
        return parts[0] if len(parts) == 1 else b"".join(parts)


def rows_table(channel: Channel, schema: pa.Schema, files: Sequence[JsonObject]) -> pa.Table:
    """Return the rows of a dataset that is stored in Postgres. Each item of `files` is one location, whose rows the
    server sends page by page."""
    tables = [
        table_of(schema, page) for file in files for page in _pages(channel, int(str(file["no"])))
    ]  # all in memory: the limit of the process applies
    return pa.concat_tables(tables) if tables else schema.empty_table()


def _pages(channel: Channel, number: int) -> Iterator[list[Row]]:
    page, pages = 0, 1
    while page < pages:
        found = cast(JsonObject, json.loads(channel.request({"rows": [number, page]})))
        yield cast("list[Row]", found["rows"])
        page, pages = page + 1, int(str(found["pages"]))
