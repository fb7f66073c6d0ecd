"""Queries of attempts over HTTP: a result that is cut or too large is an error, and is not asked for again."""

import asyncio
import json
from uuid import uuid4

import pytest

from tenuto.model.errors import Conflict, TooLarge
from tenuto.model.queries import MAX_TASK_RESULT_BYTES
from tenuto.model.workers import Session
from tenuto.runtimes.base import Attempt
from tenuto.worker.backends.http_attempt_api import HttpAttemptApis
from tenuto.worker.backends.http_connection import HttpClient, ServerAddress
from tenuto.worker.process.session import WorkerSession
from tests.support.http.stub_server import a_stub_server

RESULT = {"token": "t", "rows": [[1]]}  # the stub gives the same response to the request for the token


def test_a_result_that_is_cut_or_too_large_is_asked_for_once() -> None:
    async def ask() -> None:
        with a_stub_server() as site:
            site.answer = (200, json.dumps(RESULT).encode())
            web, session = HttpClient(ServerAddress(site.url, "tnw_secret")), WorkerSession()
            session.opened(Session(1, uuid4()))
            attempt = Attempt((None, str(uuid4()), 1, str(uuid4()), 1, None, None, None, None, None), None, 0.0)
            api = HttpAttemptApis(web, session).open(attempt)
            try:
                assert await api.call("query_inputs", sql="select 1", max_rows=1) == RESULT
                assert json.loads(site.bodies[-1]) == {"sql": "select 1", "max_rows": 1}
                asked = len(site.bodies)

                site.withheld = 5
                with pytest.raises(Conflict, match="ended the result of the query before it was complete"):
                    await asyncio.wait_for(api.call("query_inputs", sql="select 1", max_rows=1), 20)

                site.withheld, site.answer = 0, (200, b" " * (MAX_TASK_RESULT_BYTES + 1))
                with pytest.raises(TooLarge, match="larger than 16 MB"):
                    await asyncio.wait_for(api.call("query_inputs", sql="select 1", max_rows=1), 20)
                assert len(site.bodies) == asked + 2
            finally:
                await web.close()

    asyncio.run(ask())
