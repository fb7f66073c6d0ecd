"""The specification of a sandbox: its user, the files that it sees and the resources that it may use."""

import json
from dataclasses import asdict, dataclass

MB = 1024 * 1024
OUT_OF_MEMORY = 30  # SIGPWR, otherwise unused: exit signal when the sandbox used too much memory
BUNDLE = "/bundle"  # path of a bundle's code behind the walls


@dataclass(frozen=True)
class Limits:
    """Resource limits of one attempt. `scratch` applies to the whole sandbox. `processes` (processes and threads) and
    `signals` apply to all processes of its user. The other limits apply to each process; with `walls`, `memory` also
    applies to all processes together."""

    cpu: int = 0  # seconds; 0: derived from the timeout
    memory: int = 1024 * MB
    address_space: int = 0  # of each process; 0: as much as `memory`
    files: int = 256
    processes: int = 64
    file_size: int = 64 * MB
    scratch: int = 256 * MB  # total size of written files
    signals: int = 1024  # pending signals and timers
    wall: float = 300.0  # seconds, for a task without timeout


LIMITS = Limits()


@dataclass(frozen=True)
class Code:
    """Where the code is: the targets of the worker's apps, or the entry point of a task in its bundle's folder."""

    targets: tuple[str, ...] = ()
    entry: str | None = None
    folder: str | None = None


TASK_PROCESS = "tenuto.runtimes.sandbox.child"  # runs one attempt of a task


@dataclass(frozen=True)
class Spec:
    """One sandbox. Its walls are Linux namespaces: without `walls`, it shares file system, processes and network with
    the machine."""

    code: Code
    limits: Limits = LIMITS
    walls: bool = True
    uid: int | None = None  # None: the worker's user
    root: str = ""  # an empty folder on which the sandbox's file system is built
    shown: tuple[str, ...] = ()  # paths that it sees, read-only
    hidden: tuple[str, ...] = ()  # paths that it does not see, even inside a folder that is shown
    path: tuple[str, ...] = ()  # where Python looks for modules
    cwd: str = "/tmp"  # noqa: S108 (inside the walls it is the sandbox's own)
    trial: bool = False  # build it and end: shows what this machine can enforce
    program: str = TASK_PROCESS  # the module whose `main` runs inside

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Spec":
        fields = json.loads(text)
        code = fields["code"]
        return Spec(
            code=Code(targets=tuple(code["targets"]), entry=code["entry"], folder=code["folder"]),
            limits=Limits(**fields["limits"]),
            walls=fields["walls"],
            uid=fields["uid"],
            root=fields["root"],
            shown=tuple(fields["shown"]),
            hidden=tuple(fields["hidden"]),
            path=tuple(fields["path"]),
            cwd=fields["cwd"],
            trial=fields["trial"],
            program=fields["program"],
        )
