"""Data objects: bytes that are passed to tasks by their id."""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response, StreamingResponse

from tenuto.db import data_objects
from tenuto.db.connection.call import Conn
from tenuto.model.digest import content_digest
from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tenuto.model.ids import uuid7
from tenuto.model.json import Json, JsonObject
from tenuto.model.run_data import StoredObject
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES
from tenuto.server.http.object_stream import Bytes, Received, discard, pieces, receive, spool
from tenuto.server.http.request import HttpRequest, parse_json
from tenuto.server.http.route_table import CONTENT_DIGEST, IF_NONE_MATCH, NOT_MODIFIED, RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Name, ResponseModel
from tenuto.storage.base import data_object_key

ROUTES = RouteTable("objects")


class UploadParams(BaseModel):
    """The fields of a new object; `metadata` is JSON text. `at`: the addresses of the workers that have the data.
    `hard`: tasks that receive the object run only on these workers. `persisted`: keep the object even when nothing
    references it."""

    model_config = ConfigDict(extra="forbid")

    type: Annotated[str, Field(min_length=1, max_length=256)] = "bytes"
    metadata: Annotated[str, Field(max_length=4096)] | None = None  # a longer text may not fit into a URL
    at: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = None
    hard: bool = False
    persisted: bool = False

    def describe(self, received: Received) -> "Upload":
        metadata: Json = parse_json(self.metadata.encode()) if self.metadata else None
        if metadata is not None and not isinstance(metadata, dict):
            raise InvalidInput(f"metadata is {self.metadata!r:.60}, not a JSON object")
        if self.hard and not self.at:
            raise InvalidInput("hard needs an address", "write at=node-1&hard=true")
        return Upload(self.type, metadata, received, self.at or [], self.hard, self.persisted)


@dataclass(frozen=True)
class Upload:
    """A received body and the columns of its data object."""

    type: str
    metadata: JsonObject | None
    received: Received
    at: list[str]
    hard: bool
    persisted: bool

    async def record(
        self, conn: Conn, org_id: UUID, id: UUID, *, payload: bytes | None = None, uri: str | None = None
    ) -> None:
        """Store the object: its bytes, or the URI at which they are stored."""
        await data_objects.put_object(
            conn,
            org_id=org_id,
            id=id,
            type=self.type,
            payload=payload,
            uri=uri,
            size=self.received.size,
            checksum=self.received.checksum,
            metadata=self.metadata,
            persisted=self.persisted,
        )
        if self.at:
            await data_objects.place_object(conn, org_id=org_id, object_id=id, addresses=self.at, hard=self.hard)


class ObjectResponse(ResponseModel):
    """A data object; pass it to a task as `{"$object": id}`."""

    id: UUID
    type: str
    size: int
    checksum: str | None
    metadata: Any
    created_at: datetime
    addresses: list[str]
    hard: bool
    persisted: bool


@ROUTES.add(
    "POST", "/v1/objects", permission="objects:write",
    response=ObjectResponse, status=201, takes=Bytes.media_type, repeatable=False, headers=(CONTENT_DIGEST,),
)  # fmt: skip
async def create_object(request: ApiRequest, query: UploadParams) -> Response:
    """Store the body, up to 64 MB, as a data object. An object that no run, task or group holds is deleted after a day
    (or the `object_retention_hours` of the org), unless it is persisted."""
    return await _put(request, UUID(uuid7()), query)


@ROUTES.add(
    "PUT", "/v1/objects/{object_id}", permission="objects:write",
    response=ObjectResponse, status=201, takes=Bytes.media_type, repeatable=False, headers=(CONTENT_DIGEST,),
    responses={200: {"model": ObjectResponse, "description": "an object with this id and these bytes exists already"}},
)  # fmt: skip
async def put_object(request: ApiRequest, object_id: UUID, query: UploadParams) -> Response:
    """Store the body under an id that the client chose, so that the request can be repeated. 409 if the id already has
    other bytes."""
    return await _put(request, object_id, query)


async def _put(request: ApiRequest, object_id: UUID, query: UploadParams) -> Response:
    with spool() as file:
        received = await receive(request.http, file)
        upload = query.describe(received)
        if received.size <= MAX_VALUE_BYTES:
            return await _record(request, object_id, upload, payload=file.read())
        store = request.http.server.store
        uri = await asyncio.to_thread(store.put_file, data_object_key(f"{object_id}.{uuid7()}"), file)
    try:
        response = await _record(request, object_id, upload, uri=uri)
    except BaseException:
        await discard(store, uri)
        raise
    if response.status_code == 200:
        await discard(store, uri)
    return response


async def _record(
    request: ApiRequest, object_id: UUID, upload: Upload, *, payload: bytes | None = None, uri: str | None = None
) -> Response:
    async def work(change: Transaction) -> ObjectResponse:
        await upload.record(change.conn, change.org_id, object_id, payload=payload, uri=uri)
        await change.audit("object", object_id, "put", {"size": {"new": upload.received.size}})
        return ObjectResponse.model_validate(
            await data_objects.get_object(change.conn, org_id=change.org_id, object_id=object_id)
        )

    try:
        return await request.change(work, status=201)
    except Conflict:
        try:
            found = await request.call(data_objects.get_object, object_id=object_id)
        except NotFound:
            found = None  # deleted meanwhile
        if found is None or (found.checksum, found.type) != (upload.received.checksum, upload.type):
            raise Conflict(
                f"the id {object_id} is taken by an object with other bytes or another type", "choose another id"
            ) from None
        return Response(ObjectResponse.model_validate(found).model_dump_json(), 200, media_type="application/json")


@ROUTES.add(
    "GET",
    "/v1/objects/{object_id}",
    permission="objects:read",
    response_class=Bytes,
    headers=(IF_NONE_MATCH,),
    responses=NOT_MODIFIED,
)
async def get_object(request: ApiRequest, object_id: UUID) -> Response:
    """Get the bytes of an object."""
    found = await request.call(data_objects.get_object, object_id=object_id)
    return await send_object(request.http, found)


async def send_object(request: HttpRequest, found: StoredObject) -> Response:
    """Returns a response with the bytes of an object, streamed if they are in the object store; 304 if the client has
    them."""
    headers = _headers(found)
    if request.headers.get("if-none-match") == headers.get("ETag", ""):
        return Response(None, 304, headers)
    if found.payload is not None:
        return Bytes(bytes(found.payload), 200, headers)
    store = request.server.store
    file = await asyncio.to_thread(store.open, store.key_of(found.uri or ""))
    headers["Content-Length"] = str(found.size)
    return StreamingResponse(pieces(file), 200, headers, Bytes.media_type)


@ROUTES.add("HEAD", "/v1/objects/{object_id}", permission="objects:read", response=None, response_class=Bytes)
async def head_object(request: ApiRequest, object_id: UUID) -> Response:
    """Get the size and checksum of an object."""
    found = await request.call(data_objects.get_object, object_id=object_id)
    headers = {**_headers(found), "Content-Length": str(found.size)}
    return Bytes(None, 200, headers)


@ROUTES.add("DELETE", "/v1/objects/{object_id}", permission="objects:write", response=None, status=204)
async def delete_object(request: ApiRequest, object_id: UUID) -> Response:
    """Delete an object. 409 while a run, task or group holds it."""
    uri: list[str | None] = []

    async def work(change: Transaction) -> None:
        uri.append(await data_objects.delete_object(change.conn, org_id=change.org_id, object_id=object_id))
        await change.audit("object", object_id, "delete")

    response = await request.change(work, status=204)
    if uri and uri[0]:
        await discard(request.http.server.store, uri[0])
    return response


def _headers(found: StoredObject) -> dict[str, str]:
    # The response must not be compressed, because the checksum is that of the uncompressed bytes.
    headers = {"Content-Encoding": "identity", "X-Object-Type": json.dumps(found.type)[1:-1]}
    if found.checksum and found.checksum.startswith("sha256:"):
        headers |= {"ETag": f'"{found.checksum}"', "Content-Digest": content_digest(bytes.fromhex(found.checksum[7:]))}
    return headers
