"""Finds the files of committed partitions in an object store."""

from fnmatch import fnmatchcase

from tenuto.model.attempt_files import DATASETS
from tenuto.storage.base import Store, StoredItem

GLOB = "**/*.parquet"
MAX_OBJECTS = 1_000_000  # of one partition
MARKER = "_done"  # written after the files of a partition; it is not data


def stored_files(store: Store, location: str, glob: str = GLOB, *, max_objects: int = MAX_OBJECTS) -> list[StoredItem]:
    """Return the files of a committed partition. Raises TooManyObjects if its folder has more than `max_objects`
    objects. Objects that do not match the glob count too."""
    prefix = f"{DATASETS}{location}"
    found = store.list_all(prefix, max_objects=max_objects)
    return [item for item in found if _matches(item.key.removeprefix(prefix), glob)]


def _matches(path: str, glob: str) -> bool:
    """Return whether a path matches a glob. A glob that begins with `**/` also matches files outside of any subfolder.
    The marker never matches."""
    return path != MARKER and (fnmatchcase(path, glob) or fnmatchcase(path, glob.removeprefix("**/")))
