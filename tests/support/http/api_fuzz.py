"""Tests every route of the API with schemathesis, using ids that exist in the database."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import psycopg
import schemathesis
from jsonschema_rs import is_valid
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.engine import events, from_schema
from schemathesis.generation import GenerationMode
from schemathesis.openapi.checks import RejectedPositiveData, UndefinedStatusCode
from schemathesis.specs.openapi.schemas import OpenApiSchema

from tenuto.model.keys import API, key_hash, make_key
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.worker_requests import PEPPERS, HttpWorker, open_worker, worker_headers

# A refusal is one of these; 413 and 415 are ours besides what schemathesis expects.
REFUSED = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "429"]
OVER = (b'"stale_lease"', b'"session_ended"')
NOT_HTTP = b"Invalid HTTP request received."
LIVE = {"run_id": "/v1/runs", "task_id": "/v1/tasks", "user_id": "/v1/users"}  # where an id is found


class World:
    """Whoever asks, and what is there to ask about; what a request ended is made anew."""

    def __init__(self, db: psycopg.Connection, http: Any) -> None:
        self._db, self._http = db, http
        self._credentials: dict[str, str] = {}
        self._session: dict[str, Any] | None = None
        self._workers = 0

    def bearer(self, scheme: str) -> str:
        if scheme not in self._credentials:
            self._credentials[scheme] = getattr(self, f"_make_{scheme}")()
        return self._credentials[scheme]

    def lent(self, scheme: str, header: object) -> bool:
        """Whether it is the credential of now: checks also send none, or one of their own."""
        return header == f"Bearer {self._credentials.get(scheme)}"

    def forget(self, scheme: str) -> None:
        """It is not good any more."""
        self._credentials.pop(scheme, None)
        if scheme == "worker_key":
            self._session = None

    def an_id(self, name: str) -> str | None:
        """Of the newest thing of that name."""
        found = self._get(LIVE[name], limit="1")["items"]
        return found[0]["id"] if found else None

    def session(self) -> dict[str, Any]:
        """One that is alive, of the worker key."""
        if self._session is None:
            self._session = self._open(lease_seconds=86_400).session
        return self._session

    def _make_api_key(self) -> str:
        key = make_key(API, "test")
        made = {"key_id": key.key_id, "hash": key_hash(PEPPERS, key.text), "name": "fuzz", "permissions": ["*"]}
        call(self._db, "create_api_key", org_id=DEFAULT_ORG, created_by="ann", **made)
        return key.text

    def _make_worker_key(self) -> str:
        return worker_headers(self._db)["Authorization"].removeprefix("Bearer ")

    def _make_task_token(self) -> str:
        start = {"type": "fuzz.task", "queue": "fuzz"}
        started = self._http.post("/v1/runs", json=start, headers=self._headers("api_key"))
        assert started.status_code == 201, started.text
        worker = self._open(queues=["fuzz"], lease_seconds=86_400)
        return worker.claim_one(tokens=True)["token"]

    def _open(self, **more: Any) -> HttpWorker:
        self._workers += 1
        self._get("/internal/task/00000000-0000-0000-0000-000000000000", "worker_key")  # is the key still good?
        return open_worker(self._http, self._headers("worker_key"), f"fuzz-{self._workers}", **more)

    def _headers(self, scheme: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.bearer(scheme)}"}

    def _get(self, path: str, scheme: str = "api_key", **params: str) -> Any:
        answer = self._http.get(path, params=params, headers=self._headers(scheme))
        if answer.status_code == 401:  # a request revoked it
            self.forget(scheme)
            answer = self._http.get(path, params=params, headers=self._headers(scheme))
        return answer.json()


@dataclass
class Found:
    """What a campaign saw."""

    failures: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    answers: Counter[tuple[str, int]] = field(default_factory=Counter)

    @property
    def tried(self) -> set[str]:
        return {operation for operation, _ in self.answers}


def fuzz(db: psycopg.Connection, url: str, *, examples: int, seed: int, whole: bool) -> Found:
    """Try every operation; `whole`: also with the boundary cases of every parameter, and in sequences."""
    config = schemathesis.Config.from_dict(
        {
            "seed": seed,
            "continue-on-failure": True,
            "suppress-health-check": ["filter_too_much"],  # a path of one segment excludes most texts
            "request-timeout": 120,  # ten thousand starts in one request take their time on a busy machine
            "generation": {"max-examples": examples, "deterministic": True, "no-shrink": True},
            "checks": {"negative_data_rejection": {"expected-statuses": REFUSED}},
            "output": {"sanitization": {"enabled": False}},
            "phases": {"coverage": {"enabled": whole}, "stateful": {"enabled": whole}},
        }
    )
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json", config=config, timeout=60)
    found = Found()
    with httpx2.Client(base_url=url, timeout=30) as http:
        world = World(db, http)
        _let_in(schema, world)
        _add_hooks(schema, world, found)
        for event in from_schema(schema).execute():
            if isinstance(event, events.ScenarioFinished):
                found.failures += _failures(event)
            elif isinstance(event, events.NonFatalError):
                found.errors.append(f"{event.label}: {event.value}")
            elif isinstance(event, events.FatalError):
                found.errors.append(str(event.exception))
    return found


def _let_in(schema: OpenApiSchema, world: World) -> None:
    class Bearer:
        def get(self, _case: schemathesis.Case, context: schemathesis.AuthContext) -> str | None:
            scheme = _scheme(context.operation)
            return world.bearer(scheme) if scheme else None

        def set(self, case: schemathesis.Case, data: str | None, _context: schemathesis.AuthContext) -> None:
            if data:
                case.headers["Authorization"] = f"Bearer {data}"

    schema.auth(refresh_interval=None)(Bearer)


def _add_hooks(schema: OpenApiSchema, world: World, found: Found) -> None:
    @schema.hook
    def map_case(context: schemathesis.HookContext, case: schemathesis.Case) -> schemathesis.Case:
        _wait_less(case)
        if case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE:
            _point_at_the_living(case, world)
        return case

    @schema.hook
    def after_call(context: schemathesis.HookContext, case: schemathesis.Case, response: schemathesis.Response) -> None:
        found.answers[case.operation.label, response.status_code] += 1
        scheme = _scheme(case.operation)
        over = response.status_code == 401 or any(code in response.content for code in OVER)
        if scheme and over and world.lent(scheme, response.request.headers.get("Authorization")):
            world.forget(scheme)


def _wait_less(case: schemathesis.Case) -> None:
    """Nobody waits a minute here; what is out of bounds stays so."""
    for place in (case.query, case.body):
        if isinstance(place, dict) and _is_long(place.get("wait")):
            place["wait"] = 0.01


def _is_long(wait: Any) -> bool:
    try:
        return not isinstance(wait, bool) and 0 < float(wait) <= 60
    except (TypeError, ValueError):
        return False


def _point_at_the_living(case: schemathesis.Case, world: World) -> None:
    """Made-up ids only find out that nothing is there."""
    for name in LIVE.keys() & (case.path_parameters or {}).keys():
        case.path_parameters[name] = world.an_id(name) or case.path_parameters[name]
    body = case.body
    if not isinstance(body, dict):
        return
    if {"session_id", "token"} <= body.keys():
        body.update(world.session())
    if _scheme(case.operation) == "task_token":
        body.pop("task_id", None)
        body.pop("attempt", None)


def _scheme(operation: schemathesis.APIOperation) -> str | None:
    (said, *_) = operation.definition.raw.get("security") or [{}]
    return next(iter(said), None)


def _failures(event: events.ScenarioFinished) -> Iterator[str]:
    for case_id, checks in event.recorder.checks.items():
        for check in checks:
            if check.failure_info and _counts(check.failure_info.failure, event, case_id):
                failure = check.failure_info.failure
                yield f"{failure.operation}: {check.name}: {failure.message}\n{check.failure_info.code_sample}"


def _counts(failure: Failure, event: events.ScenarioFinished, case_id: str) -> bool:
    """A valid request may be refused for what no description can say: a cron that is none, a name that is not known.
    But not for its form (`errors`), for then the description is wrong; the form of a YAML document inside of it, whose
    errors have a column, is not described. What is not HTTP, such as a length that is no number, is refused before
    there is a request that could get a problem."""
    response = event.recorder.interactions[case_id].response
    if response is None:
        return True
    if isinstance(failure, UndefinedStatusCode):
        return response.content != NOT_HTTP
    if isinstance(failure, AcceptedNegativeData):
        sent = event.recorder.interactions[case_id].request.uri
        return not _is_valid_as_sent(failure.message, event.recorder.cases[case_id].value, sent)
    of_form = b'"errors"' in response.content and b'"column"' not in response.content
    return of_form or not isinstance(failure, RejectedPositiveData)


def _is_valid_as_sent(message: str, case: schemathesis.Case, url: str) -> bool:
    """In an address everything is text: `glob=false` is one, `tags=false` a list of one, whatever it was made from."""
    blamed = re.findall(r"^Invalid component: parameters? (.*) in query", message, re.MULTILINE)
    names = set(re.findall(r"`(\w+)`", blamed[0])) if blamed else set()
    said: list[dict[str, Any]] = case.operation.definition.raw.get("parameters", [])
    sent = parse_qs(urlsplit(url).query, keep_blank_values=True)
    query = [one for one in said if one["in"] == "query" and one["name"] in names]
    return bool(names) and all(_fits(one, sent.get(one["name"], [])) for one in query)


def _fits(parameter: dict[str, Any], texts: list[str]) -> bool:
    if not texts:
        return not parameter.get("required")
    schema = parameter["schema"]
    return is_valid(schema, texts) or all(is_valid(schema, text) for text in texts)  # of several, the last one counts
