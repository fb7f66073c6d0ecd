"""The interface of an object store, and the rules for its keys."""

import re
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import BinaryIO, Literal, Protocol

MAX_KEY_BYTES = 900  # S3 allows 1,024, including the prefix of the store
MAX_PART_BYTES = 255  # the maximum length of a name in most file systems
MAX_URL_SECONDS = 7 * 24 * 3600  # the longest validity of a signed S3 URL
PAGE = 1000

# No part begins with a dot, so neither `..` nor the temporary files of a folder are keys. Two capital hex digits follow
# a `%`, as `urllib.parse.quote` writes it.
_PART = re.compile(r"(?:[0-9A-Za-z_~=-]|%[0-9A-F]{2})(?:[0-9A-Za-z_.~=-]|%[0-9A-F]{2})*")

Method = Literal["GET", "PUT"]


class StorageProblem(Exception):
    """An object cannot be stored or read; the message says where and what to do."""


class StorageUnavailable(StorageProblem):
    """The object store does not respond; another try may succeed."""


class TooManyObjects(StorageProblem):
    """A folder has more objects than the caller allows."""


class NotPresignable(StorageProblem):
    """The store has no URLs at which clients can read and write objects."""


@dataclass(frozen=True)
class StoredItem:
    """One object of a listing."""

    key: str
    size: int
    modified_at: datetime


class Store(Protocol):
    """Stores bytes under keys such as `datasets/orders/part-0.parquet`. A method that fails raises StorageProblem."""

    @property
    def root(self) -> str:
        """The URI of the store; it ends with `/`."""
        ...

    def uri_of(self, key: str) -> str:
        """Return the URI of an object, such as `s3://bucket/prefix/key`."""
        ...

    def key_of(self, uri: str) -> str:
        """Return the key of an object with this URI. Raises StorageProblem for the URI of another store."""
        ...

    def put(self, key: str, data: bytes) -> str:
        """Store the bytes under the key, and return the URI. An existing object with this key is replaced. An upload
        that fails stores nothing."""
        ...

    def put_file(self, key: str, file: BinaryIO) -> str:
        """Store the rest of an open file, as `put` does. The file need not fit in memory."""
        ...

    def get(self, key: str) -> bytes: ...

    def open(self, key: str) -> BinaryIO:
        """Open the object for reading piece by piece, from any position; the caller closes it."""
        ...

    def delete(self, key: str) -> None:
        """Delete the object; does nothing if it is already gone."""
        ...

    def list_all(self, prefix: str, *, max_objects: int) -> list[StoredItem]:
        """List the objects whose keys begin with the prefix, in the order of their keys. Raises TooManyObjects as soon
        as more than `max_objects` are found."""
        ...

    def list(self, prefix: str, *, after: str | None = None, limit: int = PAGE) -> list[StoredItem]:
        """List the objects whose keys begin with the prefix, which ends with `/`. `after`: the last key of the previous
        page. The order is that of the keys, except on servers that sort each folder separately."""
        ...

    def delete_prefix(self, prefix: str) -> int:
        """Delete all objects whose keys begin with the prefix; return how many there were. If an object cannot be
        deleted, the others are deleted, then StorageProblem is raised."""
        ...

    def presign(self, method: Method, key: str, seconds: float) -> str:
        """Return a URL with which any client can read or write this one object for `seconds`. Raises NotPresignable if
        the store has no such URLs."""
        ...


def check_key(key: str) -> str:
    """Return the key. Raises StorageProblem if it is too long, or if a part of it is empty, too long, begins with a dot
    or contains characters that must be percent-encoded (%2A)."""
    parts = key.split("/")
    if len(key) > MAX_KEY_BYTES:
        raise StorageProblem(f"a key of {len(key)} bytes is too long, {MAX_KEY_BYTES} are allowed: {key[:60]}…")
    for part in parts:
        if not _PART.fullmatch(part) or len(part) > MAX_PART_BYTES:
            raise StorageProblem(
                f"{key!r:.200} cannot be a key, because of {part!r:.80}: a part has at most {MAX_PART_BYTES} bytes, "
                "does not begin with a dot, and has only letters, digits and _ . ~ = -; percent-encode others (%2A)"
            )
    return key


def check_prefix(prefix: str) -> str:
    """Return the prefix; raise StorageProblem unless it is a valid key that is followed by `/`."""
    if not prefix.endswith("/"):
        raise StorageProblem(f"the prefix {prefix!r:.200} does not end with /")
    check_key(prefix[:-1])
    return prefix


def check_seconds(seconds: float) -> float:
    """Return the seconds; raise StorageProblem if a signed URL cannot have this lifetime (1 to MAX_URL_SECONDS)."""
    if not 1 <= seconds <= MAX_URL_SECONDS:
        raise StorageProblem(f"a signed URL cannot be valid for {seconds:.15g} s: write 1 to {MAX_URL_SECONDS}")
    return seconds


def try_out(store: Store) -> None:
    """Store, list, read and delete a small object; raises StorageProblem if one of these steps fails."""
    prefix = f"doctor/{token_hex(8)}/"
    store.put(f"{prefix}try", b"try")
    listed = [item.key for item in store.list(prefix)]
    if listed != [f"{prefix}try"] or store.get(f"{prefix}try") != b"try":
        raise StorageProblem(f"{store.root} does not return what was stored in it: {listed} instead of {prefix}try")
    if store.delete_prefix(prefix) != 1:
        raise StorageProblem(f"{store.root} does not delete what was stored in it")


def data_object_key(name: str) -> str:
    """Return the key of a data object. The keys are spread over 256 folders, so that no folder gets too large."""
    return f"data/{name[-2:].lower()}/{name}"
