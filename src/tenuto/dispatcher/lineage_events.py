"""Delivers OpenLineage events to an HTTP endpoint, such as that of Marquez, or to a file."""

import asyncio
import json
import os
from pathlib import Path
from uuid import UUID

from tenuto.db import lineage, outbox
from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.deliveries import Deliverer, DeliveryFailed
from tenuto.lineage.openlineage import build_event
from tenuto.model.json import Json
from tenuto.model.lineage_facts import QueuedEvent
from tenuto.model.outbox import Effect

FILE = "file:"
FOLDER_HINT = "TENUTO_LINEAGE_FOLDER in the dispatcher's environment names the folder"


class LineageEmitter:
    """The handler of effects of the kind `emit_lineage`. An effect lists the events of one run, job or dataset. They
    are delivered in order, and each is removed from the list when it is delivered. If an event fails, it stays in the
    list together with the events after it."""

    def __init__(self, deliverer: Deliverer, folder: Path | None = None) -> None:
        self._deliverer, self._folder = deliverer, folder

    async def __call__(self, pool: ConnectionPool, effect: Effect) -> None:
        name, owner = effect.destination, effect.locked_by or ""
        destination = await pool.call(outbox.get_destination, org_id=effect.org_id, name=name)
        events: list[QueuedEvent] = effect.payload["events"]
        for event in events:
            subject = effect.payload["subject"]
            known = await pool.call(lineage.get_lineage_facts, org_id=effect.org_id, subject=subject, event=event)
            content = build_event(subject, event, known.namespace, known.facts)
            if destination.url.startswith(FILE):
                await asyncio.to_thread(self._append, effect.org_id, destination.url.removeprefix(FILE), content)
            else:
                await self._deliverer.post(effect, destination, name, content)
            if not await pool.call(outbox.drop_event, owner=owner, id=effect.id, type=event["type"]):
                raise DeliveryFailed("another dispatcher has taken the events")

    def _append(self, org_id: UUID, name: str, content: Json) -> None:
        """Appends one line to a file of the org. The line is on disk before the event counts as delivered."""
        if self._folder is None:
            raise DeliveryFailed(f"this dispatcher writes no files; {FOLDER_HINT}")
        folder = self._folder / str(org_id)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        line = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        file = os.open(folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            if os.write(file, line) != len(line):  # the disk is full
                raise DeliveryFailed(f"only a part of an event was written to {name}")
            os.fsync(file)
        finally:
            os.close(file)
