"""The table of attempt calls is what SQL and the server offer."""

import psycopg
import pytest

from tenuto.model.attempt_calls import ATTEMPT_CALLS, AttemptCall
from tenuto.server.app import create_app
from tenuto.server.settings import ServerSettings
from tests.support.http.worker_requests import PEPPERS

NOT_IN_BODIES = {"put_object": {"data"}, "get_object": {"id"}}  # bytes are the body, an id is part of the path
OF_EVERY_BODY = {"task_id", "attempt"}
FENCE = {"session_id", "token", "task_id", "attempt"}
SCOPES = {"attempt": FENCE, "run": {"org_id", "run_id"}}
PARAMETERS = """
select array(select substr(name, 3) from unnest(p.proargnames[1:p.pronargs]) as name)
from pg_proc p where p.pronamespace = 'tenuto'::regnamespace and p.proname = %s
"""


@pytest.fixture(scope="module")
def document() -> dict:
    return create_app(ServerSettings("postgresql://nobody@127.0.0.1:1/none", None, PEPPERS)).openapi()


@pytest.mark.parametrize("call", ATTEMPT_CALLS.values(), ids=lambda call: call.name)
def test_the_server_has_the_endpoint_with_the_arguments(call: AttemptCall, document: dict) -> None:
    path = call.path.replace("{id}", "{object_id}")
    operation = document["paths"][path][call.method.lower()]

    assert set(call.arguments) - NOT_IN_BODIES.get(call.name, set()) <= _arguments(operation, document)


def _arguments(operation: dict, document: dict) -> set[str]:
    names = {parameter["name"] for parameter in operation.get("parameters", [])}
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content:
        model = content["schema"]["$ref"].rpartition("/")[2]
        names |= document["components"]["schemas"][model]["properties"].keys() - OF_EVERY_BODY
    return names


@pytest.mark.parametrize("call", [call for call in ATTEMPT_CALLS.values() if call.sql], ids=lambda call: call.name)
def test_sql_has_the_function_with_the_arguments(call: AttemptCall, db: psycopg.Connection) -> None:
    assert call.sql
    (parameters,) = db.execute(PARAMETERS, [call.name]).fetchone() or ([],)
    typed = {*call.sql.json, *call.sql.optional_json, *call.sql.json_arrays, *call.sql.ids}

    assert typed <= set(call.arguments)
    assert {*call.arguments, *SCOPES[call.sql.scope]} <= set(parameters)


def test_every_call_that_writes_is_fenced() -> None:
    writes = [
        call for call in ATTEMPT_CALLS.values() if call.sql and call.method != "GET" and call.name != "poll_tasks"
    ]

    assert {call.sql.scope for call in writes if call.sql} == {"attempt"}
