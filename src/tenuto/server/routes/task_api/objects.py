"""Data objects of running attempts. A task holds the objects it puts, and can read every object whose id it knows."""

import asyncio
from typing import Any
from uuid import UUID

from starlette.responses import Response

from tenuto.db import run_data
from tenuto.model.ids import uuid7
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES
from tenuto.server.http.object_stream import receive, spool
from tenuto.server.http.route_table import TASK, RouteTable
from tenuto.server.requests.task import TaskRequest
from tenuto.server.routes.objects import Bytes, UploadParams, send_object
from tenuto.server.schemas.base import IdResponse
from tenuto.storage.folder import FolderStore

ROUTES = RouteTable("task API")


@ROUTES.add("POST", "/v1/task/objects", permission=TASK, response=IdResponse, status=201, takes=Bytes.media_type)
async def put_own_object(request: TaskRequest, query: UploadParams) -> Any:
    """Store the body, up to 64 MB. The task holds the object, which stays as long as the task."""
    async with request.fenced():
        pass  # before anything is stored
    id, store = UUID(uuid7()), FolderStore(request.settings.objects)
    with spool() as file:
        received = await receive(request.http, file)
        fields = {**query.read(), "size": received.size, "checksum": received.checksum}
        if received.size <= MAX_VALUE_BYTES:
            await _record(request, id, payload=file.read(), **fields)
            return {"id": id}
        uri = await asyncio.to_thread(store.put_file, str(id), file)
    try:
        await _record(request, id, uri=uri, **fields)
    except BaseException:
        await asyncio.to_thread(store.delete, uri)
        raise
    return {"id": id}


async def _record(request: TaskRequest, id: UUID, **fields: Any) -> None:
    who = request.principal
    async with request.fenced() as attempt:
        await run_data.put_object(attempt.conn, org_id=who.org_id, id=id, **fields)
        await run_data.keep_object(attempt.conn, **attempt.fence, object_id=id)


@ROUTES.add("GET", "/v1/task/objects/{object_id}", permission=TASK, response_class=Bytes)
async def get_own_object(request: TaskRequest, object_id: UUID) -> Response:
    """Get the bytes of an object of the org. Ids cannot be guessed."""
    async with request.fenced() as attempt:
        found = await run_data.get_object(attempt.conn, org_id=request.principal.org_id, object_id=object_id)
    return await send_object(request.http, request.settings, found)
