"""What a sandbox is told: who it runs as, what it sees, how much it may use."""

import json
from dataclasses import asdict, dataclass

MB = 1024 * 1024
OUT_OF_MEMORY = 30  # SIGPWR, which nobody else uses: how a stage ends whose sandbox took too much
BUNDLE = "/bundle"  # where the code of a bundle is, behind walls


@dataclass(frozen=True)
class Limits:
    """How much one attempt may use. All but `scratch` bind each of its processes; `memory` behind walls all of them
    together too; `processes` counts threads."""

    cpu: int = 0  # seconds; 0: as many as its timeout has
    memory: int = 1024 * MB  # of address space
    files: int = 256
    processes: int = 64
    file_size: int = 64 * MB
    scratch: int = 256 * MB  # everything it writes, together
    signals: int = 1024  # that wait to be delivered, and timers
    wall: float = 300.0  # seconds, for a task that has no timeout


LIMITS = Limits()


@dataclass(frozen=True)
class Code:
    """Where the code is: an app's target, or the entry of a task in the folder of its bundle."""

    target: str | None = None
    entry: str | None = None
    folder: str | None = None


@dataclass(frozen=True)
class Spec:
    """One sandbox. Without `walls` it has no file system, processes and network of its own."""

    code: Code
    limits: Limits = LIMITS
    walls: bool = True
    uid: int | None = None  # None: the worker's own user
    root: str = ""  # an empty folder that the sandbox's file system is built on
    shown: tuple[str, ...] = ()  # read-only
    hidden: tuple[str, ...] = ()  # even where it lies in what is shown
    path: tuple[str, ...] = ()  # where Python looks for modules
    cwd: str = "/tmp"  # noqa: S108 (inside the walls it is the sandbox's own)
    trial: bool = False  # set up and end: shows what this machine lets us enforce

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Spec":
        said = json.loads(text)
        code, limits = Code(**said.pop("code")), Limits(**said.pop("limits"))
        lists = {name: tuple(said.pop(name)) for name in ("shown", "hidden", "path")}
        return Spec(code=code, limits=limits, **lists, **said)
