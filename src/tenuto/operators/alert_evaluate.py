"""The operator `alert_evaluate`: raises alerts for the rows of a SELECT over the inputs, one alert per key."""

import json
import re
from collections.abc import Iterator, Mapping

from tenuto.dag.operator_configs import AlertEvaluateConfig
from tenuto.model.json import JsonObject
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.packages import data_packages

MAX_ALERTS = 100  # per partition; the rows of other keys are published without an alert
MAX_KEY_BYTES = 300
MAX_SUMMARY_BYTES = 1000
MAX_VALUE_BYTES = 200
MAX_ROW_BYTES = 4096
PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def alert_evaluate(ctx: SyncContext, config: AlertEvaluateConfig) -> None:
    """Publish the rows of the SELECT, and raise one alert per key, for the MAX_ALERTS smallest keys."""
    with data_packages():
        import pyarrow as pa

        from tenuto.sdk.jobs.rows import Rows
        from tenuto.sdk.jobs.select import selected
    job = ctx.job
    views = {name: item.data().view() for name, item in job.inputs.items()}
    found: dict[str, JsonObject] = {}
    with selected(
        config.sql, views, job.files.scratch, partition=job.partition, cancelled=lambda: ctx.cancelled
    ) as rows:
        names = rows.schema.names
        wanted = [*config.key, *PLACEHOLDER.findall(config.message)]
        if missing := sorted(set(wanted) - set(names)):
            raise Fail(f"the SELECT has no column {missing[0]}, which key or message names; it has {', '.join(names)}")

        def watched() -> Iterator[pa.RecordBatch]:
            for batch in rows.batches:
                for row in pa.Table.from_batches([batch]).to_pylist():
                    _add(found, _alert(config, row))
                yield batch

        ctx.write(Rows(rows.schema, watched()))
    job.set_alerts(list(found.values()))


def _add(found: dict[str, JsonObject], alert: JsonObject) -> None:
    """Add the alert if it is the first of its key. Keep only the MAX_ALERTS smallest keys."""
    key = str(alert["key"])
    if key in found:
        return
    if len(found) == MAX_ALERTS:
        largest = max(found)
        if key > largest:
            return
        del found[largest]
    found[key] = alert


def _alert(config: AlertEvaluateConfig, row: Mapping[str, object]) -> JsonObject:
    from hashlib import sha256

    key = json.dumps([_text(row[name]) for name in config.key], ensure_ascii=False)[1:-1]
    if len(key.encode()) > MAX_KEY_BYTES:
        key = sha256(key.encode()).hexdigest()
    summary = PLACEHOLDER.sub(lambda match: _cut(_text(row[match[1]]), MAX_VALUE_BYTES), config.message)
    shown: JsonObject = {}
    for name, value in row.items():
        shown[name] = _cut(_text(value), MAX_VALUE_BYTES)
        if len(json.dumps(shown, ensure_ascii=False).encode()) > MAX_ROW_BYTES:
            del shown[name]
            break
    return {"key": key, "summary": _cut(summary or key, MAX_SUMMARY_BYTES), "severity": config.severity, "row": shown}


def _text(value: object) -> str:
    """Return a value as text that Postgres can store."""
    return ("" if value is None else str(value)).replace("\0", "\ufffd")


def _cut(text: str, limit: int) -> str:
    data = text.encode()
    return text if len(data) <= limit else data[: limit - 3].decode(errors="ignore") + "…"
