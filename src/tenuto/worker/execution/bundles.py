"""Bundles of a worker: the types they run, and their code, fetched, verified, and unpacked where nobody changes it."""

import asyncio
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from tenuto.db import bundles
from tenuto.db.bundle_upload import parts_of
from tenuto.db.connection.availability import Backoff
from tenuto.db.connection.errors import Unreachable
from tenuto.model.bundles import BadBundle, read_bundle
from tenuto.model.errors import NotFound
from tenuto.runtimes.sandbox.child_tasks import ChildType
from tenuto.runtimes.sandbox.runtime import NoCodeToRun, SandboxCode
from tenuto.runtimes.sandbox.spec import BUNDLE, Code
from tenuto.sdk.app import App
from tenuto.sdk.options import TaskOptions
from tenuto.sdk.task import Task
from tenuto.storage.folder import make_private_folder
from tenuto.worker.backends.base import Caller
from tenuto.worker.execution import bundle_cache
from tenuto.worker.execution.attempt import Attempt
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.outage_log import OutageLog

log = logging.getLogger("tenuto.worker")

PREFIX = "sha256:"
MAX_PAUSE_SECONDS = 5.0

T = TypeVar("T")


class BundleTask(Task[..., Any]):
    """A type that a bundle runs."""


class Bundles:
    """What was uploaded to the org. Each attempt asks which one runs its type, so that a deleted one runs no more."""

    def __init__(self, kernel: Caller, settings: WorkerSettings, absence: OutageLog) -> None:
        self._kernel, self._on, self._absence = kernel, settings.bundles, absence
        self._org_id = UUID(settings.org_id)
        self._cache = Path(settings.home) / "bundles"
        self._child_type = ChildType(queues=frozenset(settings.queues or ()))  # a manifest declares no options
        self._fetching: dict[str, asyncio.Lock] = {}
        self.types: set[str] = set()

    async def refresh(self, app: App) -> None:
        """The types there are now become tasks of the app, unless it has such tasks itself."""
        if not self._on:
            return
        found = set(await self._insist(bundles.list_bundle_types, org_id=self._org_id))
        for gone in self.types - found:
            del app.tasks[gone]
        own = app.tasks.keys() - self.types
        self.types = found - own
        for name in self.types - app.tasks.keys():
            app.tasks[name] = BundleTask(name, _elsewhere, TaskOptions(runtime="sandbox"))

    async def prepare(self, attempt: Attempt, folder: Path | None) -> SandboxCode:
        """The code of the attempt. `folder`: its own, where the code could change what others run."""
        metadata: dict[str, Any] = json.loads(attempt.metadata) if attempt.metadata else {}
        named = str(metadata.get("bundle", "")).removeprefix(PREFIX) or None
        try:
            asked = {"org_id": self._org_id, "type": attempt.task.name, "sha256": named}
            found = await self._insist(bundles.find_bundle, **asked)
            place = await self._unpacked(found.sha256, folder)
        except (NotFound, BadBundle) as problem:
            raise NoCodeToRun(str(problem)) from problem
        path = BUNDLE if folder is None else str(place)
        return SandboxCode(
            Code(entry=found.entry, folder=str(place)), (), (path,), dict.fromkeys(found.types, self._child_type)
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
        parts = [part async for part in parts_of(self._insist, org_id=self._org_id, sha256=hash)]
        content = b"".join(parts)
        if sha256(content).hexdigest() != hash:
            raise BadBundle(f"bundle {hash} is not what was put: its hash differs")
        return content

    async def _insist(self, function: Callable[..., Awaitable[T]], **asked: Any) -> T:
        """What the kernel answers, however long it is away: that is no fault of an attempt."""
        backoff = Backoff(MAX_PAUSE_SECONDS)
        while True:
            try:
                found = await self._kernel.call(function, **asked)
            except Unreachable as problem:
                self._absence.lost(self, problem)
                await asyncio.sleep(backoff.after(problem))
            else:
                self._absence.found(self)
                return found


def _unpack_whole(content: bytes, place: Path) -> None:
    """All of it or nothing: another process may do the same now."""
    make_private_folder(place.parent)
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
    """Files that anybody can read and nobody change."""
    folder.mkdir(mode=0o755)
    for path, data in read_bundle(BytesIO(content)).files():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(0o444)


def _elsewhere() -> None:
    raise AssertionError("the code of a bundle runs in its sandbox alone")
