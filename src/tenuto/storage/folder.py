"""Stores objects as files in one folder of this machine, or of a disk that all machines share."""

import os
import re
import secrets
import shutil
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from tenuto.storage.base import StorageProblem

_KEY = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,200}")


def make_private_folder(folder: Path) -> None:
    """Create the folder and its missing parents, accessible only to their owner."""
    for missing in [path for path in [folder, *folder.parents] if not path.exists()][::-1]:
        missing.mkdir(mode=0o700, exist_ok=True)


class FolderStore:
    """Stores files named by their key in 256 subfolders, accessible only to their owner, because objects of all orgs
    share the folder. Refuses to read or delete anything outside the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def put(self, key: str, data: bytes) -> str:
        return self.put_file(key, BytesIO(data))

    def put_file(self, key: str, file: BinaryIO) -> str:
        if not _KEY.fullmatch(key):
            raise StorageProblem(f"{key!r} cannot be a file name")
        target = self.folder / key[-2:].lower() / key
        # A file with its final name is complete: a crash leaves at most a file that ends in .part.
        part = target.with_name(f"{key}.{secrets.token_hex(4)}.part")
        try:
            make_private_folder(target.parent)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
                shutil.copyfileobj(file, copy, 1 << 20)
                copy.flush()
                os.fsync(copy.fileno())
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise StorageProblem(f"cannot store an object in {self.folder}: {error.strerror}") from error
        return target.as_uri()

    def get(self, uri: str) -> bytes:
        with self.open(uri) as file:
            return file.read()

    def open(self, uri: str) -> BinaryIO:
        try:
            return self._path(uri).open("rb")
        except OSError as error:
            raise StorageProblem(
                f"cannot read {uri}: {error.strerror}; on another machine, point TENUTO_HOME at a disk that both share"
            ) from error

    def delete(self, uri: str) -> None:
        self._path(uri).unlink(missing_ok=True)

    def _path(self, uri: str) -> Path:
        parts = urlsplit(uri)
        path = Path(os.path.normpath(unquote(parts.path)))
        if parts.scheme != "file" or parts.netloc or not path.is_relative_to(self.folder):
            raise StorageProblem(f"{uri} is not in the object store {self.folder}")
        return path
