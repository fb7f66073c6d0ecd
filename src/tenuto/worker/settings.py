"""The settings of a worker."""

import json
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class WorkerSettings:
    """The settings of one worker, used by its supervisor and all its children."""

    target: str | None  # module:app; None: only bundles
    url: str = field(repr=False)  # of a database or, with `key`, of a server
    org_id: str
    name: str  # children are name:1, name:2 …
    home: str  # folder for large data objects
    role: str | None = None
    key: str | None = field(default=None, repr=False)  # a worker key: use HTTP instead of SQL
    proxy: str | None = field(default=None, repr=False)
    queues: list[str] | None = None
    concurrency: int = 100
    processes: int = 1
    turn: int = 0  # index of this child, from 0
    labels: list[str] = field(default_factory=list)
    resource_group: str | None = None
    pool: str | None = None
    lease: float = 60.0
    grace: float = 30.0
    bundles: bool = False  # also run uploaded bundles
    weak_sandbox: bool = False  # run untrusted code even if this machine cannot enforce every restriction
    sandbox: str | None = None  # how strong it is, determined by the child

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "WorkerSettings":
        return WorkerSettings(**json.loads(text))
