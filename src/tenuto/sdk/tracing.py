"""Propagates the OpenTelemetry trace context from the start of a task to its execution and its child tasks."""

import json
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib.util import find_spec

TRACING = "opentelemetry.trace"  # while it is not in sys.modules, no span can be active: do not call `carrier`
KEYS = ("traceparent", "tracestate")


@cache
def _installed() -> bool:
    return find_spec("opentelemetry") is not None


def carrier() -> dict[str, str]:
    """Return the current trace context as metadata for a start; empty without an active trace."""
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    if not trace.get_current_span().get_span_context().is_valid:
        return {}
    headers: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(headers)
    return headers


def span(name: str, metadata: str | None, **attributes: str | int) -> AbstractContextManager[object]:
    """Open a span for the execution of a task, as a child of the span that started the task. `metadata` is the metadata
    of the task, as JSON text. If it contains no trace, the returned context manager does nothing."""
    if metadata is None or '"traceparent"' not in metadata or not _installed():
        return nullcontext()
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carried = {key: value for key, value in json.loads(metadata).items() if key in KEYS}
    parent = TraceContextTextMapPropagator().extract(carried)
    tracer = trace.get_tracer("tenuto")
    kept = {f"tenuto.{key}": value for key, value in attributes.items()}
    return tracer.start_as_current_span(name, context=parent, kind=trace.SpanKind.CONSUMER, attributes=kept)
