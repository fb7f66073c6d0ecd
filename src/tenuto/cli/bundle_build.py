"""Making a bundle of a folder: the same folder gives the same bytes, and so the same hash."""

import json
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from tenuto.cli.exit_codes import UsageError

DESCRIPTION_FILE = "bundle.json"  # what people write: the name and the tasks
MOMENT = (1980, 1, 1, 0, 0, 0)  # the first that a zip can say


def build_bundle(folder: Path, file: Path) -> dict[str, Any]:
    """Write the zip; answers its manifest. What is hidden or made by Python stays out."""
    from tenuto.model.bundles import MANIFEST, check_manifest

    said = _read_said(folder)
    contents = {path: (folder / path).read_bytes() for path in _find_files(folder, file)}
    listed = [{"path": path, "sha256": sha256(data).hexdigest(), "bytes": len(data)} for path, data in contents.items()]
    manifest = {"schema_version": 1, "runtime": "python", **said, "files": listed}
    check_manifest(manifest)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in {MANIFEST: json.dumps(manifest, indent=1).encode(), **contents}.items():
            archive.writestr(zipfile.ZipInfo(path, MOMENT), data, zipfile.ZIP_DEFLATED)
    return manifest


def _read_said(folder: Path) -> dict[str, Any]:
    try:
        said = json.loads((folder / DESCRIPTION_FILE).read_text())
    except FileNotFoundError:
        cure = f'write {folder / DESCRIPTION_FILE}: {{"name": "images", "tasks": {{"resize": "pictures:resize"}}}}'
        raise UsageError(f"{folder} has no {DESCRIPTION_FILE}, which says what the bundle runs; {cure}") from None
    except ValueError as error:
        raise UsageError(f"{folder / DESCRIPTION_FILE} is not JSON: {error}") from error
    if not isinstance(said, dict) or said.keys() != {"name", "tasks"}:
        raise UsageError(f'{folder / DESCRIPTION_FILE} must hold "name" and "tasks", and nothing else')
    return said


def _find_files(folder: Path, file: Path) -> list[str]:
    found = []
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if any(part.startswith(".") or part == "__pycache__" for part in inner.parts) or str(inner) == DESCRIPTION_FILE:
            continue
        if path.is_symlink():
            raise UsageError(f"{path} is a symbolic link; a bundle holds plain files: copy what it leads to")
        if path.is_file() and path.resolve() != file.resolve():
            found.append(inner.as_posix())
    return found
