"""Finds the project of the current folder: its folder, the home of its embedded database, and its settings in the table
`[tool.tenuto]` of pyproject.toml."""

import os
import re
import stat
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from tenuto.model.environment import Environment, Project
from tenuto.model.errors import InvalidInput
from tenuto.sdk.suggestions import meant

KEYS = ("app", "home", "queues")
HEADER = b"[tool.tenuto"  # searched for in a file that cannot be parsed
MARKERS = ("pyproject.toml", ".git")  # a folder with one of these is a project; .git is a file in a worktree
LOOPBACK = "127.0.0.1"  # the address of embedded servers
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
# Names that projects cannot share: homes of one project, and what processes with TENUTO_DATABASE_URL have there.
OF_ONE = re.compile(r"-[0-9a-f]{8}$|^(bundles|objects|testing|data|lock|users|pepper|password|port)$")
MAX_NAME_CHARS = 40  # of the folder's name in the name of its home


def with_project(address: Environment) -> Environment:
    """Add the project of the current folder to the settings of the environment. An embedded database is that of the
    project, unless TENUTO_HOME is set."""
    embedded = address.database_url is None and not address.home_is_set
    if address.database_url is not None and not address.home_is_set:
        address = replace(address, home=_find_home(address.database_url, address.data_folder) or address.data_folder)
    try:
        folder = Path.cwd()
    except FileNotFoundError as error:
        if embedded and address.server_url is None:
            raise InvalidInput(
                "the current folder was deleted, so its project and database cannot be found",
                "go to the folder of your project, or set TENUTO_HOME or TENUTO_DATABASE_URL",
            ) from error
        return address
    project = find_project(folder)
    address = replace(address, project=project)
    if not embedded:
        return address
    if project is not None and project.home is not None:
        return replace(address, home=address.data_folder / project.home)
    root = find_root(folder, project, address.data_folder)
    return replace(address, home=home_of(root, address.data_folder), project_folder=root)


def find_root(folder: Path, project: Project | None, data_folder: Path) -> Path:
    """Return the folder of the project: that of its settings, else the nearest one with a pyproject.toml or .git, else
    the nearest one with a home, else the given one."""
    if project is not None:
        return project.file.parent
    places = list(_folders_up(folder))
    marked = (place for place in places if any(_exists(place / name) for name in MARKERS))
    used = (place for place in places if _exists(home_of(place, data_folder)))
    return next(marked, None) or next(used, folder)


def home_of(root: Path, data_folder: Path) -> Path:
    """Return the home of a project. Its name has only letters that all systems allow, and a hash of the path, because
    folders of several projects may have the same name."""
    name = re.sub(r"[^a-z0-9_-]+", "-", root.name.lower())[:MAX_NAME_CHARS].strip("-") or "project"
    return data_folder / f"{name}-{sha256(os.fsencode(root)).hexdigest()[:8]}"


def _find_home(url: str, data_folder: Path) -> Path | None:
    """Return the home of the embedded server with this URL, as `tenuto db status --json` prints it, or None. So its
    objects are found by programs that get the URL in TENUTO_DATABASE_URL."""
    try:
        parts = urlsplit(url)
        if parts.hostname != LOOPBACK:
            return None
        own = (str(parts.port), parts.password)
        homes = sorted(data_folder.iterdir())
    except (ValueError, OSError):  # the URL cannot be read, or there are no homes
        return None
    return next((home for home in homes if (_line(home / "port"), _line(home / "password")) == own), None)


def _line(file: Path) -> str | None:
    try:
        return file.read_text().strip()
    except OSError:
        return None


def find_project(folder: Path) -> Project | None:
    """Look for a pyproject.toml with the table in the folder and those above it, up to that of the repository; None if
    there is none."""
    for place in _folders_up(folder):
        file = place / "pyproject.toml"
        try:
            content = file.read_bytes()
        except OSError:  # it does not exist, or this user may not read it
            content = b""
        table = _find_table(file, content)
        if table is not None:
            return _read(file, table)
        if _exists(place / ".git"):
            return None
    return None


def _folders_up(folder: Path) -> Iterator[Path]:
    """Yield the folder and those above it, up to the first one that is no project of what is below it: the folder of
    the user, the root of the file system, or a folder in which all users create files, such as /tmp."""
    yield folder
    try:
        own = Path.home().resolve()
    except RuntimeError:  # there is no such user
        own = None
    for place in folder.parents:
        if place == own or place == place.parent or _is_for_all(place):
            return
        yield place


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except OSError:  # it does not exist, or this user may not look
        return False
    return True


def _is_for_all(folder: Path) -> bool:
    try:
        mode = folder.stat().st_mode
    except OSError:
        return True
    return bool(mode & stat.S_ISVTX and mode & stat.S_IWOTH)


def _find_table(file: Path, content: bytes) -> object:
    """Return the value of tool.tenuto, or None if there is none. A file that cannot be parsed raises InvalidInput only
    if it contains this table, because files of other programs may have any content."""
    try:
        tool = tomllib.loads(content.decode("utf-8-sig")).get("tool")
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        if HEADER not in content:
            return None
        kind = "UTF-8" if isinstance(error, UnicodeDecodeError) else "TOML"
        raise InvalidInput(f"{file} is not valid {kind}: {error}") from error
    return cast("dict[str, object]", tool).get("tenuto") if isinstance(tool, dict) else None


def _read(file: Path, table: object) -> Project:
    if not isinstance(table, dict):
        raise InvalidInput(f"{file}: tool.tenuto is {table!r}, not a table", "write [tool.tenuto]")
    settings = cast("dict[str, Any]", table)
    for key in settings:
        if key not in KEYS:
            raise InvalidInput(
                f"{file}: [tool.tenuto] has an unknown key {key!r}", meant(key, KEYS) or f"known: {', '.join(KEYS)}"
            )
    home = settings.get("home")
    if home is not None and (not isinstance(home, str) or not NAME.fullmatch(home) or OF_ONE.search(home)):
        raise InvalidInput(
            f"{file}: home is {home!r}, not the name of a database that projects share",
            'write a name of a-z, 0-9, _ and -, such as home = "shop"; to choose a folder, set TENUTO_HOME',
        )
    return Project(
        file=file,
        home=home,
        apps=_texts(file, "app", settings.get("app"), '"shop.tasks:app"') or (),
        queues=_texts(file, "queues", settings.get("queues"), '["default", "mail"]'),
    )


def _texts(file: Path, key: str, value: object, example: str) -> tuple[str, ...] | None:
    """Return one text or a list of texts as a tuple."""
    if value is None:
        return None
    texts = cast("list[object]", value if isinstance(value, list) else [value])
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise InvalidInput(f"{file}: {key} is {value!r}, not a text or a list of texts", f"write {key} = {example}")
    return cast("tuple[str, ...]", tuple(texts))
