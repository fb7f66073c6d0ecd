"""Where Tenuto is, as environment variables say it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Address:
    """TENUTO_DATABASE_URL, TENUTO_URL, TENUTO_API_KEY, TENUTO_HOME, TENUTO_PG_BIN and TENUTO_ORG."""

    database_url: str | None  # None: the embedded one below `home`
    server_url: str | None
    home: Path
    pg_bin: Path | None
    org: str = "default"
    api_key: str | None = field(default=None, repr=False)


def read_address(environment: Mapping[str, str]) -> Address:
    pg_bin = environment.get("TENUTO_PG_BIN")
    return Address(
        database_url=environment.get("TENUTO_DATABASE_URL") or None,
        server_url=environment.get("TENUTO_URL") or None,
        home=_home(environment),
        pg_bin=Path(pg_bin).expanduser() if pg_bin else None,
        org=environment.get("TENUTO_ORG") or "default",
        api_key=environment.get("TENUTO_API_KEY") or None,
    )


def _home(environment: Mapping[str, str]) -> Path:
    if home := environment.get("TENUTO_HOME"):
        return Path(home).expanduser().absolute()
    shared = environment.get("XDG_DATA_HOME")
    return (Path(shared) if shared else Path.home() / ".local" / "share") / "tenuto"
