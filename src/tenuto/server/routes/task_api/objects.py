"""Data objects of running attempts. A task holds the objects that it stores, and can read every object whose id it
knows."""

import asyncio
from uuid import UUID

from starlette.responses import Response

from tenuto.db import data_objects
from tenuto.model.ids import uuid7
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES
from tenuto.server.http.object_stream import Bytes, discard, receive, spool
from tenuto.server.http.route_table import CONTENT_DIGEST, IF_NONE_MATCH, NOT_MODIFIED, TASK, RouteTable
from tenuto.server.requests.task import TaskRequest
from tenuto.server.routes.objects import Upload, UploadParams, send_object
from tenuto.server.schemas.base import IdResponse
from tenuto.storage.base import data_object_key

ROUTES = RouteTable("task API")


@ROUTES.add(
    "POST",
    "/v1/task/objects",
    permission=TASK,
    response=IdResponse,
    status=201,
    takes=Bytes.media_type,
    headers=(CONTENT_DIGEST,),
)
async def put_own_object(request: TaskRequest, query: UploadParams) -> object:
    """Store the body, up to 64 MB. The task holds the object, so the object is kept as long as the task."""
    async with request.fenced():
        pass  # raises StaleLease before anything is stored
    id, store = UUID(uuid7()), request.http.server.store
    with spool() as file:
        received = await receive(request.http, file)
        upload = query.describe(received)
        if received.size <= MAX_VALUE_BYTES:
            await _record(request, id, upload, payload=file.read())
            return {"id": id}
        uri = await asyncio.to_thread(store.put_file, data_object_key(str(id)), file)
    try:
        await _record(request, id, upload, uri=uri)
    except BaseException:
        await discard(store, uri)
        raise
    return {"id": id}


async def _record(
    request: TaskRequest, id: UUID, upload: Upload, *, payload: bytes | None = None, uri: str | None = None
) -> None:
    who = request.principal
    async with request.fenced() as attempt:
        await upload.record(attempt.conn, who.org_id, id, payload=payload, uri=uri)
        await data_objects.keep_object(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            object_id=id,
        )


@ROUTES.add(
    "GET",
    "/v1/task/objects/{object_id}",
    permission=TASK,
    response_class=Bytes,
    headers=(IF_NONE_MATCH,),
    responses=NOT_MODIFIED,
)
async def get_own_object(request: TaskRequest, object_id: UUID) -> Response:
    """Get the bytes of an object of the org by its id. Knowing the id is enough, because ids cannot be guessed."""
    async with request.fenced() as attempt:
        found = await data_objects.get_object(attempt.conn, org_id=request.principal.org_id, object_id=object_id)
    return await send_object(request.http, found)
