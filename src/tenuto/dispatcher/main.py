"""Runs a dispatcher: registers it, and runs its loops until it is told to stop."""

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from tenuto.db import maintenance, workers
from tenuto.db.connection.errors import Unreachable
from tenuto.db.connection.pool import open_pool
from tenuto.db.install.schema_check import wait_for_other_functions
from tenuto.dispatcher.alerts import AlertRecorder
from tenuto.dispatcher.deliveries import Deliverer, NotifySettings
from tenuto.dispatcher.dispatcher import Dispatcher
from tenuto.dispatcher.effects import Handler
from tenuto.dispatcher.events import EventRouter
from tenuto.dispatcher.lineage_events import LineageEmitter
from tenuto.dispatcher.loop import IDLE_TICK_SECONDS, Due, Ticker
from tenuto.dispatcher.loops import loops_of
from tenuto.dispatcher.purges import Purger
from tenuto.dispatcher.sinks import SinkFlusher
from tenuto.model.ids import uuid7
from tenuto.model.keys import Peppers
from tenuto.providers.base import Provider
from tenuto.storage.base import Store

CLOSE_TIMEOUT_SECONDS = 2.0
# per call: longer than any batch should take, but short enough to detect a server that hangs
CALL_TIMEOUT_SECONDS = 30.0


async def dispatch(
    url: str,
    *,
    role: str | None,
    stop: asyncio.Event,
    port: int = 0,
    org_id: UUID | None = None,
    store: Store | None = None,
    peppers: Peppers | None = None,
    private_destinations: bool = False,
    notify: NotifySettings | None = None,
    lineage_folder: Path | None = None,
    providers: Mapping[str, Provider] | None = None,
    installation: str | None = None,
) -> None:
    """Runs the loops on this database until `stop` is set. `port`: the port where this process serves metrics.
    `org_id`: the org of the metrics and of the pools. Without `peppers`, this dispatcher neither signs the heads of
    audit chains nor delivers effects; other dispatchers do. `private_destinations`: deliver to private addresses and
    without TLS, too. `notify`: settings of e-mail and commands. `lineage_folder`: the folder of destinations that are
    files. `providers`: the providers of pools, by name. `installation`: TENUTO_INSTALLATION. On a copy of a database,
    nothing is done until the copy is adopted. Raises OtherFunctions if another version of Tenuto replaces the SQL
    functions."""
    deliverer = None if peppers is None else Deliverer(peppers, private=private_destinations, notify=notify)
    async with (
        open_pool(url, role=role, timeout=CALL_TIMEOUT_SECONDS) as pool,
        open_pool(url, size=1, timeout=CALL_TIMEOUT_SECONDS) as owner_pool,
    ):
        handlers, address = _handlers(deliverer, store, lineage_folder), socket.gethostname()
        dispatcher = Dispatcher(
            UUID(uuid7()), pool, owner_pool, address, port, org_id, store, peppers, handlers=handlers,
            providers=providers or {}, installation=installation,
        )  # fmt: skip
        running = asyncio.create_task(Ticker(dispatcher, loops_of(dispatcher), _find_due).run(stop))
        checking = asyncio.create_task(wait_for_other_functions(pool))
        try:
            await asyncio.wait({running, checking}, return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                raise checking.result()
            await running
        finally:
            stop.set()
            checking.cancel()
            await asyncio.wait({running, checking})
            await _close(dispatcher, deliverer)


def _handlers(deliverer: Deliverer | None, store: Store | None, lineage_folder: Path | None) -> dict[str, Handler]:
    handlers: dict[str, Handler] = {
        "route_event": EventRouter(),
        "sink": SinkFlusher(),
        "raise_alerts": AlertRecorder(),
    }
    if deliverer is not None:
        handlers["deliver"] = deliverer
        handlers["emit_lineage"] = LineageEmitter(deliverer, lineage_folder)
    if store is not None:
        handlers["delete_data"] = Purger(store)
    return handlers


async def _find_due(dispatcher: Dispatcher) -> Due:
    """Return which loops are due, and which loops this dispatcher should run: some loops run on one dispatcher at a
    time."""
    loops = loops_of(dispatcher)
    shared = [loop.name for loop in loops if loop.alone]
    own = frozenset(loop.name for loop in loops if not loop.alone)
    taken = await dispatcher.pool.call(
        maintenance.take_due_maintenance,
        dispatcher_id=dispatcher.id,
        loops=shared,
        installation=dispatcher.installation,
        store=dispatcher.store_root,
    )
    due = frozenset(entry.what for entry in taken if entry.due_in_seconds == 0)
    later = [entry.due_in_seconds for entry in taken if entry.due_in_seconds]
    return Due(due, min(later, default=IDLE_TICK_SECONDS), own | {entry.what for entry in taken})


async def _close(dispatcher: Dispatcher, deliverer: Deliverer | None) -> None:
    await dispatcher.effects.close()
    await dispatcher.fleet.close()
    if deliverer is not None:
        await deliverer.close()
    with suppress(Unreachable, TimeoutError):  # if this fails, the registration expires after a while
        async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
            await dispatcher.pool.call(workers.close_dispatcher, id=dispatcher.id)
