"""Stores objects as files in one folder of this machine, or of a disk that all machines share."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from tenuto.storage.base import (
    PAGE,
    Method,
    NotPresignable,
    StorageProblem,
    StoredItem,
    TooManyObjects,
    check_key,
    check_prefix,
    check_seconds,
)

_GONE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


def make_private_folder(folder: Path) -> None:
    """Create the folder and its missing parents, accessible only to their owner."""
    for missing in [path for path in [folder, *folder.parents] if not path.exists()][::-1]:
        missing.mkdir(mode=0o700, exist_ok=True)


def make_ignored_folder(folder: Path) -> None:
    """Create a private folder that git ignores, because it may be inside of a project."""
    if not folder.exists():
        make_private_folder(folder)
        (folder / ".gitignore").write_text("*\n")


class FolderStore:
    """Stores each object as a file whose path in the folder is the key. Only the owner of the files can access them,
    because objects of all orgs share the folder. Refuses to read, write or delete anything outside the folder, or
    through a symbolic link in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    @property
    def root(self) -> str:
        return f"{self.folder.as_uri()}/"

    def uri_of(self, key: str) -> str:
        return (self.folder / check_key(key)).as_uri()

    def key_of(self, uri: str) -> str:
        parts = urlsplit(uri)
        path, root = unquote(parts.path), f"{self.folder}/"
        own = parts.scheme == "file" and not (parts.netloc or parts.query or parts.fragment) and path.startswith(root)
        if not own or parts.geturl() != uri:  # urlsplit silently drops line breaks
            raise StorageProblem(
                f"{uri} is not in the object store {self.root}; TENUTO_STORAGE must name the store that has it"
            )
        return check_key(path.removeprefix(root))

    def put(self, key: str, data: bytes) -> str:
        return self.put_file(key, BytesIO(data))

    def put_file(self, key: str, file: BinaryIO) -> str:
        target = self.path(key)
        # A file with its final name is complete: a crash leaves at most a hidden file, which is no object.
        part = target.with_name(f".{secrets.token_hex(8)}.part")
        try:
            make_ignored_folder(self.folder)
            make_private_folder(target.parent)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
                shutil.copyfileobj(file, copy, 1 << 20)
                copy.flush()
                os.fsync(copy.fileno())
            part.replace(target)
        except OSError as error:
            raise StorageProblem(
                f"cannot store an object in {self.folder}: {error.strerror or error}; "
                "make it writable, or set TENUTO_STORAGE to another folder or a bucket"
            ) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return target.as_uri()

    def get(self, key: str) -> bytes:
        with self.open(key) as file:
            return file.read()

    def open(self, key: str) -> BinaryIO:
        path = self.path(key)
        try:
            return path.open("rb")
        except OSError as error:
            raise StorageProblem(
                f"cannot read {path.as_uri()}: {error.strerror}; on another machine, point TENUTO_STORAGE at a disk "
                "that both share, or at a bucket"
            ) from error

    def delete(self, key: str) -> None:
        path = self.path(key)
        try:
            path.unlink()
        except _GONE:
            pass
        except OSError as error:
            raise StorageProblem(f"cannot delete {path.as_uri()}: {error.strerror}") from error

    def list_all(self, prefix: str, *, max_objects: int) -> list[StoredItem]:
        folder = self.path(check_prefix(prefix)[:-1])
        try:
            found = list(islice(_unsorted_files(folder, prefix), max_objects + 1))
        except OSError as error:
            raise StorageProblem(f"cannot list {folder.as_uri()}: {error.strerror}") from error
        if len(found) > max_objects:
            raise TooManyObjects(f"{folder.as_uri()} has more than {max_objects:,} files")
        return sorted(found, key=lambda item: item.key)

    def list(self, prefix: str, *, after: str | None = None, limit: int = PAGE) -> list[StoredItem]:
        folder = self.path(check_prefix(prefix)[:-1])
        try:
            return list(islice(_files(folder, prefix, after or ""), limit))
        except OSError as error:
            raise StorageProblem(f"cannot list {folder.as_uri()}: {error.strerror}") from error

    def delete_prefix(self, prefix: str) -> int:
        folder = self.path(check_prefix(prefix)[:-1])
        deleted, failures = 0, list[OSError]()
        for place, folders, files in os.walk(folder, topdown=False, onerror=failures.append):
            for name in files:
                try:
                    Path(place, name).unlink()
                    deleted += 0 if name.startswith(".") else 1
                except FileNotFoundError:
                    pass
                except OSError as error:
                    failures.append(error)
            for name in folders:
                if (link := Path(place, name)).is_symlink():
                    link.unlink(missing_ok=True)
            with suppress(OSError):  # not empty: the file that could not be deleted is reported below
                Path(place).rmdir()
        if lost := [error for error in failures if not isinstance(error, _GONE)]:
            raise StorageProblem(f"{len(lost)} files in {folder.as_uri()} cannot be deleted: {lost[0].strerror}")
        return deleted

    def presign(self, method: Method, key: str, seconds: float) -> str:
        check_seconds(seconds)
        raise NotPresignable(
            f"{self.uri_of(key)} has no URL to {method} it, because the store is a folder; "
            "let programs without access to the folder use the server, or set TENUTO_STORAGE to a bucket"
        )

    def path(self, key: str) -> Path:
        """Return the file of a key. Raises StorageProblem if the path contains a symbolic link, which could lead out of
        the store."""
        path = self.folder / check_key(key)
        if path.resolve() != self.folder.resolve() / key:
            raise StorageProblem(f"{path.as_uri()} leads through a symbolic link, which may point out of the store")
        return path


def _files(folder: Path, prefix: str, after: str) -> Iterator[StoredItem]:
    """Yield the files after the key `after`, in the order of their keys. In this order, the name of a folder ends with
    `/`, as in a listing of S3."""
    try:
        with os.scandir(folder) as scan:
            found = [(f"{prefix}{entry.name}{'/' if _is_folder(entry) else ''}", entry) for entry in scan]
    except _GONE:
        return
    for key, entry in sorted(found, key=lambda pair: pair[0]):
        if entry.name.startswith(".") or entry.is_symlink() or (key <= after and not after.startswith(key)):
            continue
        if key.endswith("/"):
            yield from _files(Path(entry.path), key, after)
        elif key > after:
            with suppress(FileNotFoundError):  # deleted meanwhile
                yield _item(key, entry)


def _unsorted_files(folder: Path, prefix: str) -> Iterator[StoredItem]:
    """Yield the files in the order in which the disk lists them, one at a time, so that a caller can stop early."""
    try:
        scan = os.scandir(folder)
    except _GONE:
        return
    with scan:
        for entry in scan:
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if _is_folder(entry):
                yield from _unsorted_files(Path(entry.path), f"{prefix}{entry.name}/")
            else:
                with suppress(FileNotFoundError):  # deleted meanwhile
                    yield _item(f"{prefix}{entry.name}", entry)


def _item(key: str, entry: "os.DirEntry[str]") -> StoredItem:
    stat = entry.stat(follow_symlinks=False)
    return StoredItem(key, stat.st_size, datetime.fromtimestamp(stat.st_mtime, UTC))


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir(follow_symlinks=False)
