"""Input that was made to hurt: refused with a code and what is wrong, on every route, and nothing is written."""

import gzip
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.support.database.tasks import Db
from tests.support.http.api_fuzz import World

Request = Callable[..., Any]


def rows(db: Db) -> dict[str, int]:
    """How many there are in each table that has any; buckets of rate limits come with whoever asks."""
    tables = db.execute(
        "select c.oid::regclass::text from pg_class c where c.relnamespace = 'tenuto'::regnamespace"
        " and c.relkind = 'r' and c.relname <> 'rate_buckets'"
    ).fetchall()
    counts = {name: db.execute(f"select count(*) from {name}".encode()).fetchone() for (name,) in tables}
    return {name: count[0] for name, count in counts.items() if count and count[0]}


@dataclass(frozen=True)
class Operation:
    """One route as the description has it."""

    method: str
    path: str
    scheme: str | None
    takes: tuple[str, ...]
    query: tuple[str, ...]

    @property
    def is_json(self) -> bool:
        # A webhook looks at a body only when its signature is right (tests/server/test_webhooks.py).
        return "application/json" in self.takes and not self.path.startswith("/v1/webhooks/")

    @property
    def address(self) -> str:
        return "/".join(str(uuid4()) if part.startswith("{") else part for part in self.path.split("/"))


_operations: list[Operation] = []  # the same for every test, and to describe the API takes a second


def operations(api: TestClient) -> list[Operation]:
    if not _operations:
        _operations.extend(_described(api))
    return _operations


def _described(api: TestClient) -> list[Operation]:
    return [
        Operation(
            method.upper(),
            path,
            next((name for said in one.get("security", []) for name in said), None),
            tuple(one.get("requestBody", {}).get("content", {})),
            tuple(said["name"] for said in one.get("parameters", []) if said["in"] == "query"),
        )
        for path, methods in api.get("/openapi.json").json()["paths"].items()
        for method, one in methods.items()
    ]


@pytest.fixture
def ask(api: TestClient, db: psycopg.Connection) -> Iterator[Request]:
    """Ask as who may; at the end of the test nothing may have been written since its start."""
    world = World(db, api)
    schemes = {one.scheme for one in operations(api)} - {None}
    headers = {scheme: {"Authorization": f"Bearer {world.bearer(scheme or '')}"} for scheme in schemes}
    api.get("/v1/task", headers=headers["task_token"])

    def request(operation: Operation, **said: Any) -> Any:
        sent = {**headers.get(operation.scheme, {}), **said.pop("headers", {})}
        return api.request(operation.method, said.pop("path", operation.address), headers=sent, **said)

    before = rows(db)
    yield request
    assert rows(db) == before


def refusals(
    ask: Request, operations: list[Operation], status: int, code: str, sayings: dict[str, dict[str, Any]]
) -> list[Any]:
    """What was not refused so, with a problem; nothing if all is well."""
    wrong = []
    for name, said in sayings.items():
        for one in operations:
            answer = ask(one, **said)
            kind = answer.headers.get("content-type")
            problem = answer.json() if kind == "application/problem+json" else {}
            if (answer.status_code, problem.get("code"), bool(problem.get("request_id"))) != (status, code, True):
                wrong.append((name, one.method, one.path, answer.status_code, answer.text[:200]))
    return wrong


JSON_BODIES = {
    "not json": b"{",
    "nothing but text": b"\xef\xbb\xbf",
    "bad utf-8": b'{"x": "\xff"}',
    "utf-16": '{"type": "a.b", "name": "a"}'.encode("utf-16"),
    "half of a surrogate pair as bytes": b'{"type": "a.b", "name": "\xed\xa0\x80"}',
    "NUL": b'{"x": "a\\u0000b"}',
    "NUL in a key": b'{"a\\u0000b": 1}',
    "lone surrogate": b'{"x": "\\ud800"}',
    "lone surrogate in a key": b'{"\\udfff": 1}',
    "two halves in the wrong order": b'{"x": "\\udc00\\ud800"}',
    "NaN": b'{"x": NaN}',
    "infinite": b'{"x": -Infinity}',
    "too large a number": b'{"x": 1e400}',
    "more digits than anyone reads": b'{"x": ' + b"9" * 5000 + b"}",
    "a key twice": b'{"x": 1, "x": 2}',
    "37 deep": b'{"x": ' + b"[" * 36 + b"]" * 36 + b"}",
    "10,000 deep": b'{"x": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "a million open brackets": b"[" * 1_000_000,
    "python": b"{'x': 1}",
    "a number alone": b"1",
    "trailing": b"{} {}",
    "a comment": b"{} // {}",
    "unknown fields": b'{"__proto__": {"admin": true}, "constructor": 1}',
}


JSON = {"Content-Type": "application/json"}


def test_a_body_that_cannot_be_is_refused_by_every_route(api: TestClient, ask: Request) -> None:
    taking = [one for one in operations(api) if one.is_json]
    said = {name: {"content": body, "headers": JSON} for name, body in JSON_BODIES.items()}

    assert len(taking) > 30
    assert refusals(ask, taking, 422, "invalid_input", said) == []


def test_32_deep_is_the_most_and_33_too_much(api: TestClient, ask: Request) -> None:
    start = next(one for one in operations(api) if (one.method, one.path) == ("PUT", "/v1/runs/{run_id}/data"))
    deep = [b'{"values": {"x": ' + b"[" * depth + b"]" * depth + b"}}" for depth in (30, 31)]

    answers = [ask(start, content=body, headers=JSON) for body in deep]

    assert [one.json()["code"] for one in answers] == ["not_found", "invalid_input"]
    assert "32 deep" in answers[1].text


KINDS = ("text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "text/json", "")
ENCODINGS = ("gzip", "deflate", "br", "gzip, gzip", "x\x7f")


def test_a_body_of_another_kind_is_refused_by_every_route(api: TestClient, ask: Request) -> None:
    taking = [one for one in operations(api) if one.is_json]
    said = {kind: {"content": b'{"type": "a.b"}', "headers": {"Content-Type": kind}} for kind in KINDS}

    assert refusals(ask, taking, 415, "unsupported_media_type", said) == []


def test_a_compressed_body_is_refused_by_every_route(api: TestClient, ask: Request) -> None:
    taking = [one for one in operations(api) if one.takes]
    bomb = gzip.compress(b"{" + b" " * 10_000_000)
    said = {name: {"content": bomb, "headers": {**JSON, "Content-Encoding": name}} for name in ENCODINGS}

    assert refusals(ask, taking, 415, "unsupported_media_type", said) == []


# What no list takes; where a parameter is one of a list, it is refused there.
PARAMETERS = {
    "limit": ("-1", "0", "5001", "9" * 40, "1.5", "ten", "NaN", "", "0x10", "١"),
    "before": ("x", "", "-1", "0" * 100, "' or 1=1 --", "00000000-0000-0000-0000-00000000000g"),
    "after": ("\x00",),
    "run_id": ("1", "../1", "{}", "%00"),
    "status": ("done' or '1'='1", "COMPLETED", ""),
    "wait": ("-1", "61", "nan", "inf", "1e9", "soon"),
}


def test_a_parameter_that_cannot_be_is_refused_wherever_it_is_taken(api: TestClient, ask: Request) -> None:
    for name, values in PARAMETERS.items():
        taking = [one for one in operations(api) if name in one.query]
        assert taking, name
        assert refusals(ask, taking, 422, "invalid_input", {value: {"params": {name: value}} for value in values}) == []


def test_an_unknown_parameter_is_refused_by_every_list(api: TestClient, ask: Request) -> None:
    lists = [one for one in operations(api) if "limit" in one.query]
    said = {name: {"params": {"limit": "1", name: "x"}} for name in ("sort_by", "limit[]", "org_id", "__class__", "")}

    assert len(lists) > 10
    assert refusals(ask, lists, 422, "invalid_input", said) == []


def test_a_nul_is_refused_in_every_parameter_and_every_name(api: TestClient, ask: Request) -> None:
    wrong = []
    for one in operations(api):
        if one.path.startswith("/ui"):  # the dashboard: any address is its page, which says that there is none
            continue
        sayings: list[dict[str, Any]] = [{"params": {name: "a\x00b"}} for name in one.query]
        if "{" in one.path and not one.is_json:
            sayings.append({"path": re.sub(r"\{[^}]*\}", "a%00b", one.path)})
        for said in sayings:
            answer = ask(one, **said)
            is_problem = one.method == "HEAD" or "code" in answer.json()  # an answer to HEAD has no body
            if answer.status_code not in (401, 404, 409, 422) or not is_problem:
                wrong.append((one.method, one.path, said, answer.status_code, answer.text[:200]))

    assert wrong == []


# Forms of an id that are one, and things that are none.
IDS = ("0", "-1", "null", "undefined", "00000000-0000-0000-0000-00000000000g", "0" * 33, "%F0%9F%92%A9", "a%00b", "a b")


def test_what_is_no_id_is_refused_and_no_other_way_to_write_one_leads_elsewhere(api: TestClient, ask: Request) -> None:
    by_id = [one for one in operations(api) if "{run_id}" in one.path and not one.takes]
    run_id = str(uuid4())
    for one in by_id:
        for id in IDS:
            assert ask(one, path=one.path.replace("{run_id}", id)).json()["code"] == "invalid_input", (one, id)
        for id in (run_id.upper(), run_id.replace("-", ""), "{" + run_id + "}", f"urn:uuid:{run_id}"):
            assert ask(one, path=one.path.replace("{run_id}", id)).json()["code"] in ("not_found", "invalid_input")


def test_a_path_in_place_of_what_is_kept_in_files_leads_nowhere(api: TestClient, ask: Request, tmp_path: Path) -> None:
    named = [one for one in operations(api) if re.search(r"/(objects|bundles)/\{", one.path)]
    names = ("%2e%2e", "..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd", "..%5c..%5cx", "....//....//x")
    for one in named:
        for name in names:
            path = re.sub(r"\{[^}]*\}", name, one.path)
            answer = ask(one, path=path, **({"content": b"x"} if one.takes and not one.is_json else {}))
            assert answer.status_code in (404, 405, 422), (one, name, answer.text)
    assert named
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


# Moments that are none, or that no clock will show; and values that only look like what is asked for.
FIELDS = {
    "available_at": ("2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "10000-01-01T00:00:00Z", "2026-01-01", 0, 1e300),
    "delay": (-1, "soon", "1e400", 1e300, "-5s", [], "9" * 60),
    "timeout": (-0.5, "", "1 fortnight", True),
    "priority": (2**31, -(2**31) - 1, 2**63, 10**400, 1.5, "1", True),
    "max_attempts": (0, -1, 101, 2**64),
    "labels": ("a", ["a"] * 65, [""], ["a" * 257], [1], {"a": 1}),
    "queue": ("", "a" * 257, 1, ["a"]),
    "type": ("", "a" * 257, None, 1, {}),
    "dedupe_key": ("", "a" * 1025, 1),
    "metadata": ([], "x", 1),
    "input": (None, {"a": {"$pickle": "gASV"}}, {"a": {"$slot": 0}}, {"a": {"$object": "../x"}}),
    "strict": ("yes", 1, None),
}


def test_a_start_that_cannot_be_is_refused_whatever_of_it_is_wrong(api: TestClient, ask: Request) -> None:
    starts = [one for one in operations(api) if (one.method, one.path) == ("POST", "/v1/runs")]
    said = {
        f"{name} {value!r:.60}": {"json": {"type": "a.b", name: value}}
        for name, values in FIELDS.items()
        for value in values
    }

    assert refusals(ask, starts, 422, "invalid_input", said) == []
