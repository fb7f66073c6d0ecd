"""Reads the settings of a project: the table `[tool.tenuto]` of the nearest pyproject.toml that has one."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from tenuto.model.environment import Environment, Project
from tenuto.model.errors import InvalidInput
from tenuto.sdk.suggestions import meant

KEYS = ("app", "home", "queues")
LOCAL_HOME = ".tenuto"
HEADER = b"[tool.tenuto"  # searched for in a file that cannot be parsed


def with_project(address: Environment, *, home_is_set: bool) -> Environment:
    """Add the project of the current folder to the settings of the environment: its home is used unless TENUTO_HOME is
    set."""
    try:
        project = find_project(Path.cwd())
    except FileNotFoundError:  # the current folder was deleted
        project = None
    if project is None:
        return address
    return replace(address, project=project, home=address.home if home_is_set else project.home)


def find_project(folder: Path) -> Project | None:
    """Look in the folder and its parents for a pyproject.toml with the table; None if there is none."""
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        try:
            content = file.read_bytes()
        except OSError:  # it does not exist, or this user may not read it
            continue
        table = _find_table(file, content)
        if table is not None:
            return _read(file, table)
    return None


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
    home = settings.get("home", LOCAL_HOME)
    if not isinstance(home, str) or not home:
        raise InvalidInput(f"{file}: home is {home!r}, not a folder", f'write home = "{LOCAL_HOME}"')
    return Project(
        file=file,
        home=(file.parent / Path(home).expanduser()).absolute(),
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
