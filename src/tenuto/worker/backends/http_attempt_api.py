"""The calls of running attempts over HTTP, authenticated with a token per attempt."""

import json
from base64 import b64decode, b64encode
from typing import Any
from uuid import UUID

from tenuto.db.connection.errors import Unreachable
from tenuto.model.attempt_calls import ATTEMPT_CALLS, AttemptCall
from tenuto.model.errors import TenutoError, Unauthorized
from tenuto.model.queries import MAX_TASK_RESULT_BYTES, QUERY_SECONDS, cut_result, too_large
from tenuto.runtimes.base import Attempt
from tenuto.sdk.context.attempt_api import Json
from tenuto.sdk.values.data_objects import AttemptFence, DataObject, ObjectStoreBase
from tenuto.sdk.values.wire_format import dump
from tenuto.worker.backends.attempt_api import AttemptApis, WorkerAttemptApi
from tenuto.worker.backends.http_connection import HttpClient
from tenuto.worker.process.session import WorkerSession


class HttpAttemptApis(AttemptApis):
    """Creates the API of each attempt that needs one."""

    def __init__(self, web: HttpClient, session: WorkerSession) -> None:
        super().__init__(session)
        self.web = web

    def open(self, attempt: Attempt) -> "HttpAttemptApi":
        return HttpAttemptApi(self, attempt)

    def objects_of(self, attempt: Attempt) -> "HttpObjects":
        return HttpObjects(self.open(attempt))


class HttpAttemptApi(WorkerAttemptApi):
    """The API of one attempt. Its token is fetched at the first call, because most attempts make no calls."""

    def __init__(self, apis: HttpAttemptApis, attempt: Attempt) -> None:
        super().__init__(apis, attempt)
        self._web = apis.web
        self._token: str | None = None

    async def call(self, verb: str, **arguments: Json) -> Json:
        call = ATTEMPT_CALLS[verb]
        try:
            return await self._call(call, arguments)
        except Unreachable as problem:
            return await self.retry(problem, self._call, call, arguments)

    async def _call(self, call: AttemptCall, arguments: dict[str, Json]) -> Json:
        match call.name:
            case "put_object":
                content, kind = b64decode(arguments["data"]), arguments["type"]
                return await self.put_object(content, kind, arguments.get("metadata"))
            case "get_object":
                return b64encode(await self.get_object(arguments["id"])).decode()
            case "get_inputs":
                parts = await self._ask(call, arguments)
                return [(part["part"], part["slot_no"], _text(part["value"])) for part in parts]
            case "query_inputs":
                return await self._query(call, arguments)
            case _:
                return await self._ask(call, arguments)

    async def _ask(self, call: AttemptCall, arguments: dict[str, Json]) -> Json:
        if call.method == "GET":
            sent = await self._send("GET", call.path, params=_query(arguments))
        else:
            nullable = call.sql.json if call.sql else ()
            body = {name: value for name, value in arguments.items() if value is not None or name in nullable}
            sent = await self._send(call.method, call.path, content=json.dumps(body).encode())
        response = self._web.site.read(sent)
        return response if call.result is None else response[call.result]

    async def _query(self, call: AttemptCall, arguments: dict[str, Json]) -> Json:
        content = json.dumps(arguments).encode()
        sent = await self._send(call.method, call.path, content=content, timeout=QUERY_SECONDS, cut=cut_result())
        if len(sent) > MAX_TASK_RESULT_BYTES:
            raise too_large(MAX_TASK_RESULT_BYTES)
        return self._web.site.read(sent)

    async def put_object(self, content: bytes, type: str, metadata: Json) -> str:
        params = {"type": type, **({"metadata": json.dumps(metadata)} if metadata is not None else {})}
        return self._web.site.read(await self._send("POST", "/v1/task/objects", content=content, params=params))["id"]

    async def get_object(self, id: str) -> bytes:
        return await self._send("GET", f"/v1/task/objects/{id}")

    async def _send(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        content: bytes | None = None,
        timeout: float | None = None,
        cut: TenutoError | None = None,
    ) -> bytes:
        async def send(token: str) -> bytes:
            return await self._web.send(
                method, path, params=params, content=content, timeout=timeout, token=token, cut=cut
            )

        if self._token is not None:
            try:
                return await send(self._token)
            except Unauthorized:  # the token expired while the attempt is still running
                self._token = None
        self._token = await self._fetch_token()
        return await send(self._token)

    async def _fetch_token(self) -> str:
        session = self.session
        fence = {"session_id": session.session_id, "token": str(session.token), "attempt": self.attempt.no}
        return (await self._web.request("POST", f"/internal/task/{self.attempt.task_id}/token", fence))["token"]


class HttpObjects(ObjectStoreBase):
    """Reads and creates data objects for an attempt."""

    def __init__(self, api: HttpAttemptApi) -> None:
        self._api = api

    async def put(
        self,
        data: bytes,
        *,
        type: str = "bytes",
        metadata: dict[str, Any] | None = None,
        holder: AttemptFence | None = None,  # noqa: ARG002 - always the task of the token
    ) -> DataObject:
        return DataObject(UUID(await self._api.put_object(data, type, metadata)))

    async def get(self, object: DataObject | UUID) -> bytes:
        return await self._api.get_object(str(object.id if isinstance(object, DataObject) else object))


def _text(value: Json) -> str | None:
    return None if value is None else dump(value)


def _query(arguments: dict[str, Json]) -> dict[str, Any]:
    params = {name: value for name, value in arguments.items() if value is not None}
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in params.items()}
