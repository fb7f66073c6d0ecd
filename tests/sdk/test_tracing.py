"""A trace goes on from the start of a task to its execution and to the children it starts there."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tenuto import App
from tenuto.sdk.client.start_request import build_task_start
from tenuto.sdk.context.context import Context
from tenuto.sdk.tracing import span

app = App("traced")


@app.task
async def work(ctx: Context, no: int) -> None: ...


@pytest.fixture(scope="module")
def provider() -> TracerProvider:
    provider = TracerProvider()
    trace.set_tracer_provider(provider)
    return provider


@pytest.fixture
def spans(provider: TracerProvider) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    processor = SimpleSpanProcessor(exporter)
    provider.add_span_processor(processor)
    yield exporter
    exporter.clear()


def started_metadata(no: int = 1) -> dict[str, Any]:
    (detail,) = build_task_start(work, (no,), {}).details or [{}]
    return detail.get("metadata", {})


def test_a_start_outside_a_trace_carries_nothing(provider: TracerProvider) -> None:
    assert build_task_start(work, (1,), {}).details is None


def test_the_execution_is_a_span_of_the_trace_that_started_it(spans: InMemorySpanExporter) -> None:
    import json

    with trace.get_tracer("shop").start_as_current_span("checkout") as checkout:
        metadata = json.dumps(started_metadata())
    with span("traced.work", metadata, task_id="t", attempt=1):
        inner = started_metadata()

    executed = next(one for one in spans.get_finished_spans() if one.name == "traced.work")
    assert executed.context is not None
    assert executed.context.trace_id == checkout.get_span_context().trace_id
    assert executed.parent is not None
    assert executed.parent.span_id == checkout.get_span_context().span_id
    assert executed.attributes is not None
    assert executed.attributes["tenuto.attempt"] == 1
    assert f"{executed.context.span_id:016x}" in inner["traceparent"]


def test_metadata_of_the_user_stays_beside_the_trace(spans: InMemorySpanExporter) -> None:
    with trace.get_tracer("shop").start_as_current_span("checkout"):
        (detail,) = build_task_start(work.options(metadata={"team": "bi"}), (1,), {}).details or [{}]
    assert detail["metadata"]["team"] == "bi"
    assert "traceparent" in detail["metadata"]


def test_a_task_without_a_trace_makes_no_span(spans: InMemorySpanExporter) -> None:
    with span("traced.work", '{"team": "bi"}'):
        pass
    assert spans.get_finished_spans() == ()
