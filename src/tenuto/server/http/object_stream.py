"""Receives and sends objects chunk by chunk, so that a large object is never in memory as a whole. Computes the
checksum of each received object."""

import asyncio
import logging
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, NamedTuple, cast

from starlette.requests import Request
from starlette.responses import Response

from tenuto.model.digest import content_digest
from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES
from tenuto.storage.base import StorageProblem, Store

MAX_OBJECT_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 1 << 20

log = logging.getLogger("tenuto.server")


class Bytes(Response):
    """A response with the bytes of an object, a file or a bundle."""

    media_type = "application/octet-stream"


class Received(NamedTuple):
    """A received body in a file, with its size and checksum."""

    file: BinaryIO
    size: int
    checksum: str


@contextmanager
def spool() -> Generator[BinaryIO]:
    """Yields a temporary file that stays in memory while it is small."""
    with SpooledTemporaryFile(MAX_VALUE_BYTES) as file:
        yield cast("BinaryIO", file)


async def receive(request: Request, file: BinaryIO) -> Received:
    """Writes the body to the file as it arrives. Raises TooLarge as soon as the body is too large, and InvalidInput at
    the end if Content-Digest does not match."""
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
    expected = request.headers.get("content-digest")
    if expected is not None and expected != content_digest(digest.digest()):
        raise InvalidInput(f"the body does not match Content-Digest {expected:.100}", "send it again")
    return Received(file, size, f"sha256:{digest.hexdigest()}")


async def pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    """Yields an open file chunk by chunk, then closes it."""
    try:
        while piece := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield piece
    finally:
        file.close()


async def discard(store: Store, uri: str) -> None:
    """Deletes the bytes of an object to which no row refers. If that fails, logs a warning, and the bytes stay in the
    store."""
    try:
        await asyncio.to_thread(store.delete, store.key_of(uri))
    except StorageProblem as problem:
        log.warning("the bytes of a deleted data object could not be deleted: %s", problem)


def _refuse_size() -> None:
    raise TooLarge("the object is larger than 64 MB", "store it in an object store and pass its address")
