"""Files of datasets, for attempts of jobs that have no access to the object store. Readers see the files of an attempt
when the attempt has completed and published them."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import SEEK_END
from typing import Annotated
from urllib.parse import quote
from uuid import UUID

from pydantic import Field
from starlette.responses import Response, StreamingResponse

from tenuto.db import children
from tenuto.model.attempt_files import DATASETS, MARKS, AttemptFiles
from tenuto.model.errors import Forbidden, InvalidInput
from tenuto.model.jobs import InputLocation
from tenuto.server.http.object_stream import Bytes, pieces, receive, spool
from tenuto.server.http.route_table import CONTENT_DIGEST, TASK, RouteTable
from tenuto.server.requests.task import AttemptTransaction, TaskRequest
from tenuto.server.schemas.task_api import FileToReadResponse, FileToWriteResponse, SignedFilesResponse
from tenuto.server.schemas.task_requests import SignFilesRequest
from tenuto.storage.base import MAX_KEY_BYTES, Method, NotPresignable, StorageProblem, Store, check_key

ROUTES = RouteTable("task API")

# An attempt that has ended can still write files with its S3 URLs. So these URLs are valid only for a short time.
URL_SECONDS = 900
LOCATIONS_PER_PAGE = 50
FILES_PER_PAGE = 5000  # when a response has this many files, no other location is added

Key = Annotated[str, Field(max_length=MAX_KEY_BYTES)]


@ROUTES.add("POST", "/v1/task/credentials", permission=TASK, response=SignedFilesResponse)
async def sign_own_files(request: TaskRequest, body: SignFilesRequest) -> object:
    """Get URLs to which the attempt of a job can PUT files of its outputs, and from which it can GET the files of an
    input. They are valid for 15 minutes. A URL that begins with `/` is a path of this server; a request to it needs the
    task token."""
    request.check_named(body.task_id, body.attempt)
    store, found = request.http.server.store, list[InputLocation]()
    async with request.fenced() as attempt:
        files = await _files_of(attempt)
        if body.input is not None:
            files.check_input(body.input)
            found = await _list_locations(attempt, body.input, body.after)
    expires_at = datetime.now(UTC) + timedelta(seconds=URL_SECONDS)
    places = [files.staging_of(item.output, item.partition) for item in body.writes]

    def sign() -> SignedFilesResponse:
        signed = SignedFilesResponse(writes=[], reads=[], after=None, expires_at=expires_at)
        for item, place in zip(body.writes, places, strict=True):
            url = _url(store, "PUT", _checked(f"{DATASETS}{place}{item.name}"))
            signed.writes.append(FileToWriteResponse(output=item.output, location=place, name=item.name, url=url))
        for read, location in enumerate(found, 1):
            signed.reads.extend(_list_files(store, location))
            if read == LOCATIONS_PER_PAGE or len(signed.reads) >= FILES_PER_PAGE:
                signed.after = location.id
                break
        return signed

    return await asyncio.to_thread(sign)


@ROUTES.add("GET", "/v1/task/files", permission=TASK, response_class=Bytes)
async def get_own_file(request: TaskRequest, key: Key) -> Response:
    """Get a file of an input of the job, or a file that the attempt has written."""
    async with request.fenced() as attempt:
        files = await _files_of(attempt)
    if not files.may_read(_checked(key)):
        raise Forbidden(f"this attempt cannot read {key:.200}", "POST /v1/task/credentials lists what it can read")
    file = await asyncio.to_thread(request.http.server.store.open, key)
    size = await asyncio.to_thread(lambda: (file.seek(0, SEEK_END), file.seek(0))[0])
    return StreamingResponse(pieces(file), 200, {"Content-Length": str(size)}, Bytes.media_type)


@ROUTES.add(
    "PUT",
    "/v1/task/files",
    permission=TASK,
    response=None,
    status=204,
    takes=Bytes.media_type,
    headers=(CONTENT_DIGEST,),
)
async def put_own_file(request: TaskRequest, key: Key) -> Response:
    """Store the body, up to 64 MB, as a file of an output of the job. Write several files for more data."""
    async with request.fenced() as attempt:
        files = await _files_of(attempt)
    if not files.may_write(_checked(key)):
        raise Forbidden(f"this attempt cannot write {key:.200}", "POST /v1/task/credentials says where it can")
    with spool() as file:
        await receive(request.http, file)
        async with request.fenced():
            pass  # raises StaleLease if the attempt ended while the body arrived
        await asyncio.to_thread(request.http.server.store.put_file, key, file)
    return Response(None, 204)


async def _files_of(attempt: AttemptTransaction) -> AttemptFiles:
    task = await attempt.task()
    return AttemptFiles.of(task.type, task.input, attempt.principal)


async def _list_locations(attempt: AttemptTransaction, input: int, after: UUID | None) -> list[InputLocation]:
    who = attempt.principal
    return await children.list_input_locations(
        attempt.conn,
        session_id=who.session_id,
        token=attempt.token,
        task_id=who.task_id,
        attempt=who.attempt,
        input=input,
        after=after,
        limit=LOCATIONS_PER_PAGE,
    )


def _list_files(store: Store, location: InputLocation) -> Iterator[FileToReadResponse]:
    prefix, after = f"{DATASETS}{location.location}", None
    while page := store.list(prefix, after=after):
        after = page[-1].key
        for item in page:
            name = item.key.removeprefix(prefix)
            if not name.startswith(MARKS):
                yield FileToReadResponse(
                    partition=location.partition,
                    location=location.location,
                    name=name,
                    size=item.size,
                    url=_url(store, "GET", item.key),
                )


def _url(store: Store, method: Method, key: str) -> str:
    try:
        return store.presign(method, key, URL_SECONDS)
    except NotPresignable:
        return f"/v1/task/files?key={quote(key)}"


def _checked(key: str) -> str:
    try:
        return check_key(key)
    except StorageProblem as problem:
        raise InvalidInput(str(problem)) from problem
