"""Reads the built files of the dashboard, each once per process."""

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePosixPath

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
INDEX = "index.html"


@dataclass(frozen=True)
class Asset:
    """One built file. The names in `assets/` contain a hash of the content, so browsers can cache those files."""

    content: bytes
    gzipped: bytes
    media_type: str
    etag: str
    immutable: bool


@cache
def find_asset(path: str) -> Asset | None:
    """Return the file at a path of the dashboard, or None. Only names that the build produced are looked up."""
    return _read(path) if path in _names() else None


def find_page(path: str) -> Asset | None:
    """Return the file that a browser gets at a path. For a page of the dashboard, this is `index.html`. Returns None if
    there is no such file."""
    asset = find_asset(path)
    is_page = asset is None and not PurePosixPath(path).suffix and not path.startswith("assets/")
    return find_asset(INDEX) if is_page else asset


@cache
def _names() -> frozenset[str]:
    root = files("tenuto.web") / "dist"
    if not root.is_dir():
        return frozenset()
    top = {entry.name for entry in root.iterdir() if entry.is_file()}
    folder = root / "assets"
    inner = {f"assets/{entry.name}" for entry in folder.iterdir()} if folder.is_dir() else set[str]()
    return frozenset(top | inner)


def _read(path: str) -> Asset:
    content = (files("tenuto.web") / "dist" / path).read_bytes()
    return Asset(
        content=content,
        gzipped=gzip.compress(content, mtime=0),
        media_type=MEDIA_TYPES[PurePosixPath(path).suffix],
        etag=f'"{sha256(content).hexdigest()[:32]}"',
        immutable=path.startswith("assets/"),
    )
