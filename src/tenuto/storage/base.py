"""The interface of an object store."""

from typing import BinaryIO, Protocol


class StorageProblem(Exception):
    """An object cannot be stored or read; the message says where and what to do."""


class Store(Protocol):
    """Stores bytes under a key and returns a URI, by which they are read and deleted."""

    def put(self, key: str, data: bytes) -> str:
        """Store all of the bytes or nothing; return the URI."""
        ...

    def put_file(self, key: str, file: BinaryIO) -> str:
        """Store the rest of an open file, which need not fit in memory."""
        ...

    def get(self, uri: str) -> bytes: ...

    def open(self, uri: str) -> BinaryIO:
        """Open the object for reading piece by piece; the caller closes it."""
        ...

    def delete(self, uri: str) -> None:
        """Delete the object; does nothing if it is already gone."""
        ...
