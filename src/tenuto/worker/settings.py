"""What a worker is told when it starts."""

import json
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class WorkerSettings:
    """One worker: its supervisor and every child of it work by these."""

    target: str | None  # module:app; None: bundles alone
    url: str = field(repr=False)  # of a database, or with a key of a server
    org_id: str
    name: str  # children are name:1, name:2 …
    home: str  # where large data objects are kept
    role: str | None = None
    key: str | None = field(default=None, repr=False)  # a worker key: everything is asked over HTTP
    proxy: str | None = field(default=None, repr=False)
    queues: list[str] | None = None
    concurrency: int = 100
    processes: int = 1
    turn: int = 0  # of this child: the first, the second …
    labels: list[str] = field(default_factory=list)
    resource_group: str | None = None
    pool: str | None = None
    lease: float = 60.0
    grace: float = 30.0
    bundles: bool = False  # also what was uploaded
    weak_sandbox: bool = False  # untrusted code runs though not everything can be enforced here
    sandbox: str | None = None  # how strong it is, found out by the child

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "WorkerSettings":
        return WorkerSettings(**json.loads(text))
