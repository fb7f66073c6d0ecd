"""The zip of a bundle: only plain files, only those that are listed, none larger than it says."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import BinaryIO

from tenuto.model.errors import InvalidInput

MANIFEST = "bundle_manifest.json"
MAX_MANIFEST_BYTES = 1024 * 1024
MAX_DIRECTORY_BYTES = 2 * 1024 * 1024
# What zipfile raises for a zip it cannot read; NotImplementedError is its word for a compression it does not know.
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OverflowError)
_END = struct.Struct("<4s4H2IH")
_ENCRYPTED = 0x1


class BadBundle(InvalidInput):
    """Not a bundle that we run; the message names the file and the rule."""


@dataclass(frozen=True)
class ZipEntry:
    """A file as the manifest has it."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Zip:
    """An open zip whose entries are plain files with different names."""

    archive: zipfile.ZipFile
    entries: dict[str, zipfile.ZipInfo]
    listed: list[ZipEntry] = field(default_factory=list)

    def manifest(self) -> bytes:
        if MANIFEST not in self.entries:
            raise BadBundle(f"there is no {MANIFEST} in the zip")
        return self._read(MANIFEST, MAX_MANIFEST_BYTES)

    def expect(self, listed: list[ZipEntry]) -> "Zip":
        """The same zip, of which the manifest lists everything."""
        paths = {one.path for one in listed}
        if more := sorted(self.entries.keys() - paths - {MANIFEST}):
            raise BadBundle(f"{more[0]!r:.300} is in the zip, but {MANIFEST} does not list it")
        if missing := sorted(paths - self.entries.keys()):
            raise BadBundle(f"{missing[0]!r} is listed by {MANIFEST}, but not in the zip")
        return Zip(self.archive, self.entries, listed)

    def files(self) -> Iterator[tuple[str, bytes]]:
        for one in self.listed:
            data = self._read(one.path, one.bytes)
            if len(data) != one.bytes:
                raise BadBundle(f"{one.path!r} has {len(data):,} bytes, and {MANIFEST} says {one.bytes:,}")
            if sha256(data).hexdigest() != one.sha256:
                raise BadBundle(f"{one.path!r} is not what {MANIFEST} says: its sha256 differs")
            yield one.path, data

    def _read(self, path: str, most: int) -> bytes:
        """Not a byte more than announced is unpacked, whatever the zip says of itself."""
        try:
            with self.archive.open(self.entries[path]) as file:
                data = file.read(most + 1)
        except UNREADABLE as error:
            raise BadBundle(f"{path!r} cannot be unpacked: {error}") from error
        if len(data) > most:
            raise BadBundle(f"{path!r} unpacks to more than {most:,} bytes")
        return data


def open_zip(file: BinaryIO) -> Zip:
    _check_end(file)
    try:
        archive = zipfile.ZipFile(file)
    except UNREADABLE as error:
        raise BadBundle(f"it is not a zip: {error}") from error
    entries: dict[str, zipfile.ZipInfo] = {}
    for one in archive.infolist():
        _check_entry(one)
        if one.filename in entries:
            raise BadBundle(f"{one.filename!r:.300} is in the zip twice")
        entries[one.filename] = one
    return Zip(archive, entries)


def _check_end(file: BinaryIO) -> None:
    """The list of entries is read into memory before anything can be said of it, so its size is looked at first."""
    file.seek(0, 2)
    size = file.tell()
    file.seek(max(0, size - 42))
    tail = file.read(42)
    file.seek(0)
    if len(tail) < _END.size:
        raise BadBundle("it is not a zip: it is too short")
    mark, *_, directory, _, comment = _END.unpack(tail[-_END.size :])
    if mark != b"PK\x05\x06" or comment:
        raise BadBundle("it is not a zip, or has a comment at its end")
    if tail[:4] == b"PK\x06\x07" or directory > MAX_DIRECTORY_BYTES:
        raise BadBundle(f"the zip lists more than fits into {MAX_DIRECTORY_BYTES:,} bytes")


def _check_entry(one: zipfile.ZipInfo) -> None:
    name = one.orig_filename
    kind = stat.S_IFMT(one.external_attr >> 16)
    if "\x00" in name or name != one.filename:
        raise BadBundle(f"{name!r:.300} holds a character that no name may hold")
    if one.is_dir():
        raise BadBundle(f"{name!r:.300} is a folder; only files are in a bundle")
    if kind not in (0, stat.S_IFREG):
        raise BadBundle(f"{name!r:.300} is a symbolic link or another special file")
    if one.flag_bits & _ENCRYPTED:
        raise BadBundle(f"{name!r:.300} is encrypted")
    if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadBundle(f"{name!r:.300} is packed in a way other than stored or deflated")
