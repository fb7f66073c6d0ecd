"""What a server is told when it starts."""

from dataclasses import dataclass, field
from pathlib import Path

from tenuto.model.keys import Peppers


@dataclass(frozen=True)
class RateLimit:
    """How much may be asked: so many requests a second, and so many at once after a pause."""

    rate: float
    burst: float


# Signed with a key that only the issuer has: with HS256, whoever can check a token could make one.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")


@dataclass(frozen=True)
class Oidc:
    """Who vouches for people, and for whom its tokens must be meant. With a client, people log in here too."""

    issuer: str
    audience: str
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    leeway: float = 30.0  # seconds that clocks may differ
    fetch_floor: float = 10.0  # seconds between two questions to the issuer, whatever tokens name


@dataclass(frozen=True)
class ServerSettings:
    """Where the database is, as whom to ask it, and how much one may ask of us."""

    database_url: str = field(repr=False)  # it may hold a password
    role: str | None
    peppers: Peppers
    env: str = "live"
    connections: int = 10
    statement_seconds: float = 5.0
    bulk_seconds: float = 60.0
    key_limit: RateLimit = RateLimit(1000, 2000)
    worker_limit: RateLimit = RateLimit(
        10_000, 20_000
    )  # one key serves a fleet, and a busy process asks 500 times a second
    org_limit: RateLimit = RateLimit(5000, 10_000)
    task_limit: RateLimit = RateLimit(100, 1000)
    stranger_limit: RateLimit = RateLimit(
        50, 1000
    )  # an address, with credentials that nobody knows; as many as are answered at a time
    max_connections: int = 4000  # to one process, if it may open so many files
    max_connections_per_address: int = 1000  # unless it is a trusted proxy
    org_waits: int = 200  # requests of one org that wait in a process
    org_bytes: int = 256 * 1024 * 1024  # of large bodies of one org, on their way in a process
    org_values: int = 1_000_000  # of large bodies of one org that a process works on at a time
    cors_origins: tuple[str, ...] = ()
    objects: Path = Path("objects")  # where data objects over 1 MB lie, shared with workers
    oidc: Oidc | None = None
    trusted_proxies: tuple[str, ...] = ()  # whose X-Forwarded-For says who asks
    worker_waits: int = 400  # long polls of one org's workers, in a process
    public_url: str | None = None  # where browsers reach us, if not where we listen
