"""The bundles of a worker: finds the types they contain, and downloads, verifies and unpacks their code read-only."""

import asyncio
import json
import logging
import os
import shutil
import tempfile
from functools import partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from tenuto.model.bundles import BadBundle, read_bundle
from tenuto.model.errors import NotFound
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.sandbox.child_tasks import ChildType
from tenuto.runtimes.sandbox.runtime import NoCodeToRun, SandboxCode
from tenuto.runtimes.sandbox.spec import BUNDLE, Code
from tenuto.sdk.app import App
from tenuto.sdk.options import TaskOptions
from tenuto.sdk.task import Task
from tenuto.storage.folder import make_ignored_folder
from tenuto.worker.backends.base import Backend
from tenuto.worker.execution import bundle_cache
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.outage_log import OutageLog, wait_out

log = logging.getLogger("tenuto.worker")

PREFIX = "sha256:"


class BundleTask(Task[..., Any]):
    """A task type that is implemented by a bundle."""

    def __init__(self, name: str) -> None:
        super().__init__(name, _sandboxed_function, TaskOptions(runtime="sandbox"))
        self.run_takes_context = True  # only the sandbox sees the function, which may read ctx.attempt


class Bundles:
    """The bundles uploaded to the org. The bundle of a task is looked up for each attempt, so that a deleted bundle no
    longer runs."""

    def __init__(self, backend: Backend, settings: WorkerSettings, outage_log: OutageLog) -> None:
        self._backend, self._on, self._outage_log = backend, settings.bundles, outage_log
        self._cache = Path(settings.home) / "bundles"
        self._child_type = ChildType(queues=frozenset(settings.queues or ()))  # a manifest declares no options
        self._fetching: dict[str, asyncio.Lock] = {}
        self.types: set[str] = set()

    async def refresh(self, app: App) -> None:
        """Register the current bundle types as tasks of the app, except types that the app defines itself. Remove types
        that no longer exist."""
        if not self._on:
            return
        names = set(await wait_out(self._backend.list_bundle_types, self._outage_log, self))
        for gone in self.types - names:
            del app.tasks[gone]
        own = app.tasks.keys() - self.types
        self.types = names - own
        for name in self.types - app.tasks.keys():
            app.tasks[name] = BundleTask(name)

    async def prepare(self, attempt: Attempt, folder: Path | None) -> SandboxCode:
        """Return the code of the attempt. `folder`: unpack the bundle into this private folder, for sandboxes in which
        the code could modify a shared copy. Raises NoCodeToRun if the bundle is missing or invalid."""
        metadata: dict[str, Any] = json.loads(attempt.metadata) if attempt.metadata else {}
        named = str(metadata.get("bundle", "")).removeprefix(PREFIX) or None
        try:
            find = partial(self._backend.find_bundle, attempt.task.name, named)
            bundle = await wait_out(find, self._outage_log, self)
            place = await self._unpacked(bundle.sha256, folder)
        except (NotFound, BadBundle) as problem:
            raise NoCodeToRun(str(problem)) from problem
        path = BUNDLE if folder is None else str(place)
        return SandboxCode(
            Code(entry=bundle.entry, folder=str(place)),
            (),
            (path,),
            dict.fromkeys(bundle.types, self._child_type),
            bundle.sha256,
        )

    async def _unpacked(self, hash: str, folder: Path | None) -> Path:
        if folder is not None:
            await asyncio.to_thread(_unpack, await self._fetch(hash), folder / "bundle")
            return folder / "bundle"
        place = self._cache / hash
        async with self._fetching.setdefault(hash, asyncio.Lock()):
            if not bundle_cache.is_there(place):
                await asyncio.to_thread(_unpack_whole, await self._fetch(hash), place)
                await asyncio.to_thread(bundle_cache.prune, self._cache)
        return place

    async def _fetch(self, hash: str) -> bytes:
        parts: list[bytes] = []
        while part := await wait_out(partial(self._backend.get_bundle_part, hash, len(parts)), self._outage_log, self):
            parts.append(bytes(part))
        content = b"".join(parts)
        if sha256(content).hexdigest() != hash:
            raise BadBundle(f"bundle {hash} was changed after the upload: its hash differs")
        return content


def _unpack_whole(content: bytes, place: Path) -> None:
    """Unpack into a temporary folder and rename it, because another process may be unpacking the same bundle."""
    make_ignored_folder(place.parent)
    part = Path(tempfile.mkdtemp(dir=place.parent))
    try:
        _unpack(content, part / "bundle")
        for folder, _, _ in os.walk(part / "bundle", topdown=False):
            Path(folder).chmod(0o555)
        (part / "bundle").rename(place)
    except OSError:
        if not place.is_dir():
            raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _unpack(content: bytes, folder: Path) -> None:
    """Unpack the files into a new folder and make them read-only."""
    folder.mkdir(mode=0o755)
    for path, data in read_bundle(BytesIO(content)).files():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(0o444)


def _sandboxed_function() -> None:
    raise AssertionError("the code of a bundle runs only in its sandbox")
