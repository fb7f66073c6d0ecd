"""Reads the TENUTO_* environment variables that say where the database, server and home folder are."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tenuto.model.errors import InvalidInput

NO_FOLDER = Path("/nonexistent/tenuto")
NO_STORAGE = "file:///nonexistent/tenuto/objects"  # for processes without an object store


@dataclass(frozen=True)
class Project:
    """The settings of `[tool.tenuto]` in a pyproject.toml."""

    file: Path
    home: str | None = None  # the name of an embedded database that several projects share
    apps: tuple[str, ...] = ()  # the targets that `tenuto worker` and `up` run
    queues: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Environment:
    """TENUTO_DATABASE_URL, TENUTO_URL, TENUTO_API_KEY, TENUTO_HOME, TENUTO_STORAGE, TENUTO_PG_BIN, TENUTO_ORG,
    TENUTO_INSTALLATION and TENUTO_QUERY_SANDBOX."""

    database_url: str | None  # None: the embedded database in `home`
    server_url: str | None
    home: Path
    pg_bin: Path | None
    home_is_set: bool = False  # by TENUTO_HOME
    data_folder: Path = NO_FOLDER  # of the account: the homes of its projects are in it
    project_folder: Path | None = None  # whose home it is; None: TENUTO_HOME or the project's pyproject.toml sets it
    org: str = "default"
    api_key: str | None = field(default=None, repr=False)
    project: Project | None = None
    storage_url: str | None = None  # None: a folder in `home`
    weak_queries: bool = False  # run queries even if this machine cannot confine their process fully
    installation: str | None = None  # processes act only on a database of this installation; None: not compared

    @property
    def storage(self) -> str:
        """The URL of the object store."""
        return self.storage_url or (self.home / "objects").absolute().as_uri()

    @property
    def server(self) -> str | None:
        """The URL of the server, or None if a database URL is set: the database takes precedence."""
        return self.server_url if self.database_url is None else None


def read_address(environment: Mapping[str, str]) -> Environment:
    """Read the variables. Without TENUTO_HOME, `home` is the data folder of the account, which does not depend on the
    current folder: workers and clients of one database may run in different folders. `with_project` replaces it where
    the database is an embedded one."""
    pg_bin, home, data_folder = environment.get("TENUTO_PG_BIN"), _home(environment), _data_folder(environment)
    return Environment(
        database_url=read_database_url(environment.get("TENUTO_DATABASE_URL")),
        server_url=environment.get("TENUTO_URL") or None,
        home=home or data_folder,
        home_is_set=home is not None,
        data_folder=data_folder,
        pg_bin=_expanded(pg_bin, "TENUTO_PG_BIN") if pg_bin else None,
        org=environment.get("TENUTO_ORG") or "default",
        api_key=environment.get("TENUTO_API_KEY") or None,
        storage_url=environment.get("TENUTO_STORAGE") or None,
        weak_queries=_allows_weak(environment.get("TENUTO_QUERY_SANDBOX")),
        installation=environment.get("TENUTO_INSTALLATION") or None,
    )


def read_database_url(url: str | None) -> str | None:
    """Return the URL as Postgres reads it, without the driver of SQLAlchemy's URLs (`postgresql+asyncpg://`).

    Raises InvalidInput for a URL whose password contains an unescaped / ? or #: the rest of the password would be
    parsed as host and port, and shown in errors.
    """
    head, _, rest = (url or "").partition("://")
    scheme, _, driver = head.partition("+")
    if scheme not in ("postgresql", "postgres") or not rest:
        return url or None
    if "@" in rest and "@" not in re.split("[/?#]", rest, maxsplit=1)[0]:
        raise InvalidInput(
            "the address of the database cannot be read: its user or password contains an unescaped / ? or #",
            "write %2F, %3F and %23 for them: postgresql://user:pass%2Fword@host:5432/name",
        )
    if driver == "asyncpg":  # asyncpg calls sslmode ssl
        rest = re.sub(r"(?<=[?&])ssl=", "sslmode=", rest)
    return f"postgresql://{rest}" if driver else url


def wrong_server(url: str, write: str) -> str | None:
    """Returns why the URL cannot be a server's address and what to write instead, or None if it can. A path is allowed,
    because a proxy may add one."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        parts, usable = urlsplit(""), False
    if not usable or parts.username is not None or parts.query or parts.fragment:
        if "@" in url:  # the part before the @ may be a password
            return f"the server's address is invalid; write {write}https://tenuto.example.com"
        example = "https://tenuto.example.com" if "://" in url else f"http://{url} or https://{url}"
        return f"the server's address cannot be {url}; write {write}{example}"
    own = parts.path.rstrip("/").rpartition("/")[2]
    if own in ("v1", "internal"):
        return f"the server's address cannot be {url}; leave out /{own}"
    return None


def _allows_weak(value: str | None) -> bool:
    if value not in (None, "", "full", "weak"):
        raise InvalidInput(f"TENUTO_QUERY_SANDBOX is {value!r:.40}", "write full, which is the default, or weak")
    return value == "weak"


def _home(environment: Mapping[str, str]) -> Path | None:
    if not (home := environment.get("TENUTO_HOME")):
        return None
    try:
        return _expanded(home, "TENUTO_HOME").absolute()
    except FileNotFoundError as error:
        raise InvalidInput(
            f"TENUTO_HOME is {home}, relative to the current folder, which was deleted", "write the whole path"
        ) from error


def _data_folder(environment: Mapping[str, str]) -> Path:
    """Returns the data folder of the account. An account without one gets a folder that cannot be created, so that only
    commands that need it fail."""
    shared = environment.get("XDG_DATA_HOME")
    if shared and Path(shared).is_absolute():  # the XDG specification says to ignore relative paths
        return Path(shared) / "tenuto"
    try:
        return Path.home() / ".local" / "share" / "tenuto"
    except RuntimeError:
        return NO_FOLDER


def _expanded(path: str, name: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidInput(f"{name} is {path}, and there is no such user here", "write the whole path") from error
