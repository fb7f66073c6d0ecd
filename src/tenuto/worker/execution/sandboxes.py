"""The sandboxes of a worker: which code an attempt runs, and which files of the machine it can see."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.sandbox.capabilities import SandboxCapabilities
from tenuto.runtimes.sandbox.child_tasks import ChildType
from tenuto.runtimes.sandbox.runtime import SandboxCode, SandboxHost, SandboxRuntime
from tenuto.runtimes.sandbox.spec import LIMITS, Code
from tenuto.sdk.app import App
from tenuto.sdk.app_loader import split_target
from tenuto.sdk.task_reference import declare
from tenuto.worker.execution.bundles import Bundles, BundleTask
from tenuto.worker.settings import WorkerSettings


def needs_sandbox(settings: WorkerSettings, app: App) -> bool:
    return settings.bundles or any(task.runs_in == "sandbox" for task in app.tasks.values())


@dataclass(frozen=True)
class WorkerRuntimeHost(RuntimeHost):
    """A RuntimeHost with further parts of a worker, which some runtimes need, such as the sandbox runtime."""

    settings: WorkerSettings
    app: App
    bundles: Bundles
    sandbox: SandboxCapabilities | None  # None: no task of this worker runs in a sandbox


def open_sandboxes(host: WorkerRuntimeHost) -> SandboxRuntime:
    """Create the sandbox runtime for tasks of the app and for bundles."""
    capabilities, app = host.sandbox, host.app
    if capabilities is None:
        raise AssertionError("the capabilities of sandboxes were not tested at start-up")
    trusted = SandboxHost(capabilities.root, capabilities.walls, tuple(_hidden(host.settings)), LIMITS)
    declared = declare({name: task for name, task in app.tasks.items() if task.runs_in == "sandbox"})
    apart = {
        name: ChildType(declaration["kind"], tuple(declaration.get("limits", ())))
        for name, declaration in declared.items()
    }

    async def prepare(attempt: Attempt, folder: Path) -> SandboxCode:
        if isinstance(attempt.task, BundleTask):
            return await host.bundles.prepare(attempt, None if capabilities.walls else folder)
        path = [place for place in sys.path if Path(place).is_dir()]
        return SandboxCode(
            Code(targets=tuple(map(_absolute, host.process.targets))), tuple(modules_of(path)), tuple(path), apart
        )

    return SandboxRuntime(host, trusted, prepare)


def _hidden(settings: WorkerSettings) -> Iterator[str]:
    """Yield the folders that sandboxes must not see: the home folder of the worker and, if it is a folder, the object
    store with the objects of all orgs."""
    yield settings.home
    storage = urlsplit(settings.storage)
    if storage.scheme == "file" and storage.path.startswith("/"):
        yield unquote(storage.path)


def _absolute(target: str) -> str:
    """Make the path of a target absolute if it is a file, so that it is found from any folder."""
    where, name = split_target(target)
    return f"{Path(where).absolute()}{':' if name else ''}{name}" if where.endswith(".py") else target


def modules_of(path: list[str]) -> Iterator[str]:
    """Yield the paths of the imported packages and modules of the app. The folders that contain them are left out,
    because they may hold settings, keys and history."""
    own = sorted((Path(place) for place in path if not _of_python(place)), key=lambda place: -len(place.parts))
    paths: set[Path] = set()
    for module in list(sys.modules.values()):
        file = Path(getattr(module, "__file__", None) or "")
        if place := next((folder for folder in own if file.is_relative_to(folder) and not _of_python(str(file))), None):
            paths.add(place / file.relative_to(place).parts[0])
    yield from sorted(map(str, paths))


def _of_python(place: str) -> bool:
    return "site-packages" in place or Path(place).is_relative_to(sys.base_prefix)
