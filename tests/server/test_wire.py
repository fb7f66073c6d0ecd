"""A start request of the SDK that is sent to a server becomes the same start request there."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import TypeAdapter

from tenuto import App, DataObject, Exponential, Graph, Limit, chain, group
from tenuto.model.ids import uuid7
from tenuto.sdk.client.client import build_start
from tenuto.sdk.client.http_starts import start_of
from tenuto.sdk.client.start_request import StartRequest
from tenuto.server.schemas.starts import AnyStart
from tenuto.server.starts.build import StartBuilder

app = App("w")
START: TypeAdapter[Any] = TypeAdapter(AnyStart)


@app.task(queue="mail", max_attempts=7, timeout="30s", heartbeat_timeout=5, retry=Exponential("9s"), labels=["b", "a"])
def send(to: str, photo: DataObject | None = None) -> str: ...


@app.task(limit=Limit(2, key="customer"), rate="10/s", priority=-4, max_losses=9, language="rust")
def bill(customer: int) -> None: ...


@app.task
def split(n: int) -> tuple[int, str]: ...


@app.task
def join(n: int, text: str) -> str: ...


@app.task(optional=True)
def merge(parts: list[int], bonus: int = 0) -> int: ...


@app.task
def extract(region: str) -> int: ...


PHOTO = DataObject(uuid7())  # type: ignore[arg-type]


def report() -> Graph:
    g = Graph("report")
    parts = g.map(extract, ["eu", "us"])
    total = g.add(merge, parts, bonus=3)
    g.add(send.options(name="mail", external_id="x", metadata={"a": 1}), "ann", PHOTO, after=total, on="continue")
    g.add(bill, 7, after=[parts[0]], on="failed")
    g.on_failed(send, "boss").after(g.on_failed(extract, "why"))
    g.on_completed(extract, "done")
    g.output(total, parts[1])
    return g


CASES: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (extract, ("eu",), {}),
    (send, (), {"to": "ann", "photo": PHOTO}),
    (bill, (7,), {"dedupe_key": "k", "resource_group": "vip", "run_attempts": 3, "metadata": {"team": "bi"}}),
    (send.options(delay="5m", name="n", external_id="e", optional=True), ("ann",), {}),
    (extract.options(available_at=datetime(2030, 1, 1, tzinfo=UTC)), ("eu",), {}),
    (report(), (), {"metadata": {"team": "bi"}, "dedupe_key": "k", "delay": "1h", "name": "other"}),
    (chain(split, join, extract), (3,), {}),
    (group(split, chain(split, join)), (1, 2), {}),
]


def shape(request: StartRequest) -> dict[str, Any]:
    """A start request without how its result is read; the order of details and edges does not matter."""
    details = [{**one, "metadata": one.get("metadata") or None} for one in request.details or ()]
    edges = sorted((one["from"], one["to"], one["on"]) for one in request.edges or ())
    return {
        "run": request.run,
        "kinds": request.kinds,
        "inputs": request.inputs,
        "of": request.task_kinds,
        "d": details,
        "e": edges,
    }


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_start_request_that_was_sent_is_the_one_that_was_built(case: int) -> None:
    target, args, kwargs = CASES[case]
    request = build_start(app, target, args, kwargs)

    sent = StartBuilder().build(START.validate_python(start_of(request)))

    assert shape(sent) == shape(request)
