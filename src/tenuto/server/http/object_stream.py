"""Bytes on their way in and out: never whole in memory, and always with their checksum."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, NamedTuple, cast

from fastapi import Request

from tenuto.model.digest import content_digest
from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES

MAX_OBJECT_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 1 << 20


class Received(NamedTuple):
    """A body that lies in a file, and what it is."""

    file: BinaryIO
    size: int
    checksum: str


@contextmanager
def spool() -> Iterator[BinaryIO]:
    """A file that is in memory as long as it is small."""
    with SpooledTemporaryFile(MAX_VALUE_BYTES) as file:
        yield cast("BinaryIO", file)


async def receive(request: Request, file: BinaryIO) -> Received:
    """The body, written to the file as it comes; refused as soon as it is too large, or if it is not what was said."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > MAX_OBJECT_BYTES:
        _refuse_size()
    digest, size = sha256(), 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_OBJECT_BYTES:
            _refuse_size()
        digest.update(piece)
        await asyncio.to_thread(file.write, piece)
    file.seek(0)
    said = request.headers.get("content-digest")
    if said is not None and said != content_digest(digest.digest()):
        raise InvalidInput(f"the body is not the one that Content-Digest {said:.100} says", "send it again")
    return Received(file, size, f"sha256:{digest.hexdigest()}")


async def pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    """An open file, piece by piece, and then closed."""
    try:
        while piece := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield piece
    finally:
        file.close()


def _refuse_size() -> None:
    raise TooLarge("the object is larger than 64 MB", "store it elsewhere and pass its address")
