"""The settings of a worker."""

import json
from dataclasses import asdict, dataclass, field

from tenuto.model.environment import NO_STORAGE
from tenuto.model.log_output import LogOutput
from tenuto.runtimes.process_settings import JobSettings, ProcessLimits, ProcessSettings


@dataclass(frozen=True)
class WorkerSettings:
    """The settings of one worker, used by its supervisor and all its children."""

    targets: list[str]  # module:app of each app; empty: only bundles
    url: str = field(repr=False)  # the URL of a database or, with `key`, of a server
    org_id: str
    name: str  # children are name:1, name:2 …
    home: str  # the folder of its caches
    storage: str = NO_STORAGE  # the URL of the object store
    installation: str | None = None  # TENUTO_INSTALLATION; over HTTP, the server has its own
    role: str | None = None
    key: str | None = field(default=None, repr=False)  # a worker key: use HTTP instead of SQL
    proxy: str | None = field(default=None, repr=False)
    queues: list[str] | None = None
    concurrency: int = 100
    processes: int = 1
    turn: int = 0  # index of this child, from 0
    labels: list[str] = field(default_factory=list[str])
    resource_group: str | None = None
    address: str | None = None  # tasks whose data objects are at this address prefer this worker; None: the host name
    pool: str | None = None
    machine: str | None = None  # the name of its machine in a pool, which is also the worker id of its first child
    lease: float = 60.0
    grace: float = 30.0
    allowed_hosts: list[str] = field(default_factory=list[str])  # hosts with private addresses that jobs may contact
    bundles: bool = False  # also run uploaded bundles
    in_dispatcher: bool = False  # run only the operators of jobs with runtime: dispatcher
    weak_sandbox: bool = False  # run untrusted code even if this machine cannot enforce every restriction
    weak_queries: bool = False  # run queries of tasks even if this machine cannot confine their process fully
    code_version: str | None = None  # None: the child derives it from the imported modules
    hashes_code: bool = False  # code_version is a hash of source files; set by the child
    sandbox: str | None = None  # how strong the sandbox is, determined by the child
    log: LogOutput = field(default_factory=LogOutput)
    limits: ProcessLimits = field(default_factory=ProcessLimits)

    def child_name(self, no: int) -> str:
        """Return the worker id of a child process. On a machine of a pool, the first child has the id of the machine,
        because the pool waits for a worker with this id."""
        return self.machine if self.machine and no == 1 else f"{self.name}:{no}"

    @property
    def process(self) -> ProcessSettings:
        """The settings of the processes that the worker's runtimes start."""
        jobs = JobSettings("tenuto.operators.app:operator_app", self.storage, self.allowed_hosts)
        return ProcessSettings(self.targets, self.log, self.limits, self.hashes_code, jobs)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "WorkerSettings":
        fields = json.loads(text)
        limits = fields["limits"]
        fields |= {
            "log": LogOutput.from_json(fields["log"]),
            "limits": ProcessLimits(limits["tasks"], limits["memory"]),
        }
        return WorkerSettings(**fields)
