"""Settings of a server process."""

from dataclasses import dataclass, field

from tenuto.model.environment import NO_STORAGE
from tenuto.model.keys import Peppers


@dataclass(frozen=True)
class RateLimit:
    """Requests per second (`rate`), and how many requests are allowed at once after a pause (`burst`)."""

    rate: float
    burst: float


# Asymmetric algorithms only: with HS256, every party that can verify a token could also forge one.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")


@dataclass(frozen=True)
class Oidc:
    """The OIDC issuer of users and the expected audience of its tokens. With a client id, users can also log in to the
    dashboard."""

    issuer: str
    audience: str
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    leeway: float = 30.0  # allowed clock difference in seconds
    fetch_floor: float = 10.0  # minimum seconds between two requests to the issuer, even if tokens have unknown key ids


@dataclass(frozen=True)
class ServerSettings:
    """The database, the database role of the server, and the limits on requests."""

    database_url: str = field(repr=False)  # may contain a password
    role: str | None
    peppers: Peppers
    env: str = "live"
    connections: int = 10
    statement_seconds: float = 5.0
    bulk_seconds: float = 60.0
    key_limit: RateLimit = RateLimit(1000, 2000)
    # Per worker key. A whole fleet may use one key, and a busy worker process sends 500 requests/s.
    worker_limit: RateLimit = RateLimit(10_000, 20_000)
    org_limit: RateLimit = RateLimit(5000, 10_000)
    task_limit: RateLimit = RateLimit(100, 1000)
    # Per address, for unknown credentials. The burst is large enough for the requests that a server handles at a time.
    unauthenticated_limit: RateLimit = RateLimit(50, 1000)
    max_connections: int = 4000  # per process; fewer if the process may not open that many files
    max_connections_per_address: int = 1000  # trusted proxies have no such limit
    org_waits: int = 200  # maximum number of waiting requests of one org, per process
    org_bytes: int = 256 * 1024 * 1024  # total size of one org's large bodies in progress, per process
    org_values: int = 1_000_000  # number of values in one org's large bodies in progress, per process
    cors_origins: tuple[str, ...] = ()
    storage: str = NO_STORAGE  # the URL of the object store, which workers share
    oidc: Oidc | None = None
    trusted_proxies: tuple[str, ...] = ()  # proxies whose X-Forwarded-For is trusted
    query_limit: RateLimit = RateLimit(5, 50)  # per key or user
    org_query_limit: RateLimit = RateLimit(20, 100)
    queries: int = 4  # maximum number of queries that run at a time, per process
    org_queries: int = 8  # maximum number of queries of one org that run or wait, per process
    weak_queries: bool = False  # run queries even if this machine cannot confine their process fully
    worker_waits: int = 400  # maximum number of long polls of one org's workers, per process
    installation: str | None = None  # serves only a database of this installation; None: not compared
    public_url: str | None = None  # the URL that browsers use, if it differs from the listening address
