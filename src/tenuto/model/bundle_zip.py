"""Reads the zip of a bundle. It may contain only regular files, only files that the manifest lists, and none larger
than the manifest states."""

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
# The errors that zipfile raises for a zip that it cannot read (NotImplementedError: unknown compression method).
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OverflowError)
_END = struct.Struct("<4s4H2IH")
_ENCRYPTED = 0x1


class BadBundle(InvalidInput):
    """The file is not a valid bundle. The message contains the file and the rule that it breaks."""


@dataclass(frozen=True)
class ZipEntry:
    """One file as listed in the manifest."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Zip:
    """An open zip whose entries are regular files with unique names."""

    archive: zipfile.ZipFile
    entries: dict[str, zipfile.ZipInfo]
    listed: list[ZipEntry] = field(default_factory=list[ZipEntry])

    def manifest(self) -> bytes:
        if MANIFEST not in self.entries:
            raise BadBundle(f"there is no {MANIFEST} in the zip")
        return self._read(MANIFEST, MAX_MANIFEST_BYTES)

    def expect(self, listed: list[ZipEntry]) -> "Zip":
        """Return the zip with the entries of its manifest. Raises BadBundle unless zip and manifest have the same
        files."""
        paths = {entry.path for entry in listed}
        if more := sorted(self.entries.keys() - paths - {MANIFEST}):
            raise BadBundle(f"{more[0]!r:.300} is in the zip, but {MANIFEST} does not list it")
        if missing := sorted(paths - self.entries.keys()):
            raise BadBundle(f"{missing[0]!r} is listed by {MANIFEST}, but not in the zip")
        return Zip(self.archive, self.entries, listed)

    def files(self) -> Iterator[tuple[str, bytes]]:
        for entry in self.listed:
            data = self._read(entry.path, entry.bytes)
            if len(data) != entry.bytes:
                raise BadBundle(f"{entry.path!r} has {len(data):,} bytes, but {MANIFEST} lists {entry.bytes:,}")
            if sha256(data).hexdigest() != entry.sha256:
                raise BadBundle(f"{entry.path!r} does not match {MANIFEST}: its sha256 differs")
            yield entry.path, data

    def _read(self, path: str, limit: int) -> bytes:
        """Unpack a file. Raises BadBundle if it has more than `limit` bytes; does not rely on the size in the zip's
        headers."""
        try:
            with self.archive.open(self.entries[path]) as file:
                data = file.read(limit + 1)
        except UNREADABLE as error:
            raise BadBundle(f"{path!r} cannot be unpacked: {error}") from error
        if len(data) > limit:
            raise BadBundle(f"{path!r} unpacks to more than {limit:,} bytes")
        return data


def open_zip(file: BinaryIO) -> Zip:
    _check_end(file)
    try:
        archive = zipfile.ZipFile(file)
    except UNREADABLE as error:
        raise BadBundle(f"the file is not a zip: {error}") from error
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        _check_entry(entry)
        if entry.filename in entries:
            raise BadBundle(f"{entry.filename!r:.300} is in the zip twice")
        entries[entry.filename] = entry
    return Zip(archive, entries)


def _check_end(file: BinaryIO) -> None:
    """Raises BadBundle if the zip's central directory is too large. Called first, because zipfile reads the whole
    directory into memory."""
    file.seek(0, 2)
    size = file.tell()
    file.seek(max(0, size - 42))
    tail = file.read(42)
    file.seek(0)
    if len(tail) < _END.size:
        raise BadBundle("the file is not a zip: it is too short")
    mark, *_, directory, _, comment = _END.unpack(tail[-_END.size :])
    if mark != b"PK\x05\x06" or comment:
        raise BadBundle("the file is not a zip, or has a comment at its end")
    if tail[:4] == b"PK\x06\x07" or directory > MAX_DIRECTORY_BYTES:
        raise BadBundle(f"the zip is in the ZIP64 format, or its directory has more than {MAX_DIRECTORY_BYTES:,} bytes")


def _check_entry(entry: zipfile.ZipInfo) -> None:
    name = entry.orig_filename
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if "\x00" in name or name != entry.filename:
        raise BadBundle(f"{name!r:.300} contains a character that is not allowed in names")
    if entry.is_dir():
        raise BadBundle(f"{name!r:.300} is a folder; a bundle contains only files")
    if kind not in (0, stat.S_IFREG):
        raise BadBundle(f"{name!r:.300} is a symbolic link or another special file")
    if entry.flag_bits & _ENCRYPTED:
        raise BadBundle(f"{name!r:.300} is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadBundle(f"{name!r:.300} uses a compression other than stored or deflated")
