"""The version of a worker's code: the text passed when it was started, or a hash of the source files that it has
imported."""

import sys
import sysconfig
from functools import cache
from hashlib import sha256
from pathlib import Path

from tenuto.sdk.app import App

HASH_CHARACTERS = 12
OURS = "tenuto"
# Python's own modules and installed packages change with the environment, not with the app.
_OF_PYTHON = tuple({Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")})
_INSTALLED = {"site-packages", "dist-packages"}


def code_version(app: App) -> str:
    """Return a hash of the imported modules of the app: its own packages, installed or not, and every module that
    belongs neither to an installed package nor to Python or Tenuto. Two workers with the same files get the same
    version, even in different folders."""
    own = {str(task.function.__module__).partition(".")[0] for task in app.functions.values()} - {OURS}
    sources: dict[str, Path] = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        package = name.partition(".")[0]
        ours = package in (OURS, "__main__", "__mp_main__")
        if file and not ours and (package in own or _is_of_app(Path(file).parent)):
            sources[name] = Path(file)
    hash = sha256()
    for name, file in sorted(sources.items()):
        hash.update(f"{name}\0".encode())
        hash.update(_content(file))
    return hash.hexdigest()[:HASH_CHARACTERS]


@cache
def _is_of_app(folder: Path) -> bool:
    place = folder.resolve()
    return not _INSTALLED & {*place.parts} and not any(place.is_relative_to(folder) for folder in _OF_PYTHON)


def _content(file: Path) -> bytes:
    try:
        return sha256(file.read_bytes()).digest()
    except OSError:  # removed since, or inside an archive: its path is all that is known
        return str(file).encode()
