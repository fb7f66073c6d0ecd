"""Reads bundles: zips with a manifest that lists every file. Does not trust their content."""

import json
import re
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, NoReturn
from uuid import UUID

from tenuto.model.bundle_zip import MANIFEST, BadBundle, Zip, ZipEntry, open_zip
from tenuto.model.json import Json, JsonObject

__all__ = [
    "MANIFEST",
    "BadBundle",
    "Bundle",
    "BundleFile",
    "StoredBundle",
    "WholeBundle",
    "ZipEntry",
    "check_manifest",
    "read_bundle",
]

VERSION = 1
MAX_FILES = 2000
MAX_BUNDLE_TASKS = 100
MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_UNPACKED_BYTES = 128 * 1024 * 1024
MAX_PATH_BYTES = 255
KEYS = {"schema_version", "name", "runtime", "tasks", "files"}

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_TASK = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,99}")
_ENTRY = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class StoredBundle:
    """A stored bundle. `types`: the task types for which it is the current bundle."""

    id: UUID
    sha256: str
    name: str
    size: int
    types: list[str]
    created_by: str
    created_at: datetime


@dataclass(frozen=True)
class WholeBundle(StoredBundle):
    """A stored bundle with its manifest."""

    manifest: JsonObject


@dataclass(frozen=True)
class Bundle:
    """A bundle with a valid manifest. Its files are verified as they are read."""

    name: str
    tasks: dict[str, str]  # maps the name of a task to module:function
    manifest: JsonObject
    zip: Zip

    @property
    def types(self) -> list[str]:
        return [f"{self.name}.{task}" for task in self.tasks]

    def files(self):
        """Yields each path with its bytes. Raises BadBundle for a file that differs from the manifest."""
        return self.zip.files()

    def verify(self) -> "Bundle":
        """Reads all files once to verify them, and returns the bundle. Raises BadBundle for a file that differs from
        the manifest."""
        for _ in self.files():
            pass
        return self


@dataclass(frozen=True)
class BundleFile:
    """The bundle and entry point of a task type. `types`: all types of the bundle."""

    sha256: str
    name: str
    entry: str
    types: list[str]


def read_bundle(file: BinaryIO) -> Bundle:
    """Returns the bundle in this zip. Raises BadBundle if it is not valid; the message contains the file and the
    rule."""
    archive = open_zip(file)
    try:
        manifest = json.loads(archive.manifest(), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise BadBundle(f"{MANIFEST} is not JSON: {error}") from error
    listed = check_manifest(manifest)
    return Bundle(manifest["name"], manifest["tasks"], manifest, archive.expect(listed))


def _unique(pairs: list[tuple[str, Json]]) -> JsonObject:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        _refuse("has a key twice in one object")
    return unique


def check_manifest(manifest: Json) -> list[ZipEntry]:
    """Returns the files that a manifest lists. Raises BadBundle if the manifest is not valid."""
    if not isinstance(manifest, dict):
        _refuse("is not an object")
    fields = manifest
    if unknown := sorted(fields.keys() - KEYS):
        _refuse(f"has the unknown key {unknown[0]!r}; known keys are {', '.join(sorted(KEYS))}")
    if missing := sorted(KEYS - fields.keys()):
        _refuse(f"has no {missing[0]!r}")
    if fields["schema_version"] is not VERSION:
        _refuse(f"has schema_version {fields['schema_version']!r}, not {VERSION}")
    if fields["runtime"] != "python":
        _refuse(f"has the runtime {fields['runtime']!r}; write python")
    if not isinstance(fields["name"], str) or not _NAME.fullmatch(fields["name"]):
        _refuse(f"has the name {fields['name']!r:.80}, not 1-63 of a-z, 0-9, - and _, beginning with a letter")
    listed = _check_files(fields["files"])
    _check_tasks(fields["tasks"], {entry.path for entry in listed})
    return listed


def _check_files(files: Json) -> list[ZipEntry]:
    if not isinstance(files, list) or not 1 <= len(files) <= MAX_FILES:
        _refuse(f"lists no files, or more than {MAX_FILES:,}")
    listed = [_check_file(file) for file in files]
    paths: set[str] = set()
    for path in (entry.path for entry in listed):
        if path.lower() in paths:
            _refuse(f"lists {path!r} twice")
        paths.add(path.lower())
    for path in paths:
        if above := next((up for up in _parent_folders(path) if up in paths), None):
            _refuse(f"lists {above!r} as a file, and {path!r} inside it")
    if (total := sum(entry.bytes for entry in listed)) > MAX_UNPACKED_BYTES:
        _refuse(f"lists {total:,} bytes in all, more than {MAX_UNPACKED_BYTES:,}")
    return listed


def _check_file(file: Json) -> ZipEntry:
    if not isinstance(file, dict) or file.keys() != {"path", "sha256", "bytes"}:
        _refuse(f"lists {file!r:.120}; a file has path, sha256 and bytes, and nothing else")
    path, hash, size = file["path"], file["sha256"], file["bytes"]
    if not isinstance(path, str):
        _refuse(f"lists the path {path!r:.300}, which is not a text")
    if rule := broken_rule(path):
        _refuse(f"lists the path {path!r:.300}, which {rule}")
    if not isinstance(hash, str) or not _HASH.fullmatch(hash):
        _refuse(f"lists {path!r} with the sha256 {hash!r:.80}, not 64 of 0-9 and a-f")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= MAX_FILE_BYTES:
        _refuse(f"lists {path!r} with {size!r:.40} bytes, not 0 to {MAX_FILE_BYTES:,}")
    return ZipEntry(path, hash, size)


def broken_rule(path: str) -> str | None:
    """Returns the rule that a path breaks, or None if the path is allowed."""
    parts = path.split("/")
    if not path or len(path) > MAX_PATH_BYTES:
        return f"is empty or longer than {MAX_PATH_BYTES} characters"
    if path.startswith("/") or ":" in path:
        return "is absolute or names a drive"
    if "\\" in path or not path.isprintable():
        return "holds a backslash or a character that cannot be printed"
    if path.endswith("/"):
        return "ends with /: folders are not listed"
    if any(part in ("", ".", "..") for part in parts):
        return "holds an empty part, . or .."
    return "is the manifest itself" if path == MANIFEST else None


def _check_tasks(tasks: Json, paths: set[str]) -> None:
    if not isinstance(tasks, dict) or not 1 <= len(tasks) <= MAX_BUNDLE_TASKS:
        _refuse(f'has no tasks, or more than {MAX_BUNDLE_TASKS}; write "tasks": {{"resize": "images:resize"}}')
    for name, entry in tasks.items():
        if not _TASK.fullmatch(name):
            _refuse(f"has a task {name!r:.120}, not a name of letters, digits, _ and -")
        match = _ENTRY.fullmatch(entry) if isinstance(entry, str) and len(entry) <= 512 else None
        if not match:
            _refuse(f"has entry point {entry!r:.120} for task {name!r}; write module:function")
        if match[1].partition(".")[0] in {*sys.stdlib_module_names, "tenuto"}:
            _refuse(f"has task {name!r} in {match[1]}, which is a module of Python or Tenuto; rename yours")
        file = match[1].replace(".", "/")
        if not {f"{file}.py", f"{file}/__init__.py"} & paths:
            _refuse(f"has task {name!r} in {match[1]}, but lists neither {file}.py nor {file}/__init__.py")


def _parent_folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:no]) for no in range(1, len(parts))]


def _refuse(what: str) -> NoReturn:
    raise BadBundle(f"{MANIFEST} {what}")
