"""What an object store does."""

from typing import BinaryIO, Protocol


class StorageProblem(Exception):
    """An object cannot be stored or read; the message says where and what to do."""


class Store(Protocol):
    """Bytes under a key; reading and deleting by the uri that storing answered."""

    def put(self, key: str, data: bytes) -> str:
        """Store all of it or nothing; answers the uri."""
        ...

    def put_file(self, key: str, file: BinaryIO) -> str:
        """The same for the rest of an open file, which need not fit in memory."""
        ...

    def get(self, uri: str) -> bytes: ...

    def open(self, uri: str) -> BinaryIO:
        """To read it piece by piece; whoever opens it closes it."""
        ...

    def delete(self, uri: str) -> None:
        """Deleting what is gone is fine."""
        ...
