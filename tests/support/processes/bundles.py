"""Bundles of code: valid ones and broken ones."""

import io
import json
import zipfile
from hashlib import sha256
from typing import Any

MANIFEST = "bundle_manifest.json"
CODE = {"pictures.py": b"def double(x):\n    return 2 * x\n"}


def listed(files: dict[str, bytes]) -> list[dict[str, Any]]:
    return [{"path": path, "sha256": sha256(data).hexdigest(), "bytes": len(data)} for path, data in files.items()]


def a_manifest(files: dict[str, bytes] | None = None, **changed: Any) -> dict[str, Any]:
    tasks = {"double": "pictures:double"}
    return {
        "schema_version": 1,
        "name": "images",
        "runtime": "python",
        "tasks": tasks,
        "files": listed(files or CODE),
    } | changed


def a_zip(
    entries: "dict[str, bytes] | list[tuple[str | zipfile.ZipInfo, bytes]]", packing: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """A zip of these entries, also of the same name twice."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive:
        for name, data in entries.items() if isinstance(entries, dict) else entries:
            archive.writestr(name, data)
    return file.getvalue()


def a_bundle(files: dict[str, bytes] | None = None, **changed: Any) -> bytes:
    """A bundle of these files; `changed` replaces keys of its manifest."""
    contents = files or CODE
    return a_zip({MANIFEST: json.dumps(a_manifest(contents, **changed)).encode(), **contents})


def hash_of(bundle: bytes) -> str:
    return sha256(bundle).hexdigest()
