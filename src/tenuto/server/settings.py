"""What a server is told when it starts."""

from dataclasses import dataclass

from tenuto.model.keys import Peppers


@dataclass(frozen=True)
class Limit:
    """How much may be asked: so many requests a second, and so many at once after a pause."""

    rate: float
    burst: float


@dataclass(frozen=True)
class ServerSettings:
    """Where the database is, as whom to ask it, and how much one may ask of us."""

    database_url: str
    role: str | None
    peppers: Peppers
    env: str = "live"
    connections: int = 10
    statement_seconds: float = 5.0
    bulk_seconds: float = 60.0
    key_limit: Limit = Limit(1000, 2000)
    org_limit: Limit = Limit(5000, 10_000)
    cors_origins: tuple[str, ...] = ()
