"""The operator `http_poll`: publishes the rows that a URL returns."""

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tenuto.dag.operator_configs import HttpPollConfig
from tenuto.model.json import Json
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.packages import data_packages
from tenuto.sdk.public_http import AddressRefused, Fetch, FetchFailed, fetch

if TYPE_CHECKING:
    import pyarrow as pa

RETRIED = (408, 425, 429)  # statuses below 500 after which a retry may succeed


def http_poll(ctx: SyncContext, config: HttpPollConfig) -> None:
    """Fetch the URL into a file, and publish its rows."""
    job = ctx.job
    url = config.url
    if "{partition}" in url:
        if job.partition is None:
            raise Fail("the URL contains {partition}, but the task has no partition")
        url = url.replace("{partition}", quote(job.partition, safe=""))
    secret = {"Authorization": f"Bearer {ctx.secrets[config.bearer_secret]}"} if config.bearer_secret else {}
    request = Fetch(url, config.headers, secret, max_bytes=config.max_bytes, seconds=config.timeout_seconds)
    file = job.files.scratch / "response"
    try:
        with file.open("wb") as target:
            fetch(request, target, job.allowed_hosts)
    except AddressRefused as refused:
        raise Fail(str(refused)) from refused
    except FetchFailed as failed:
        if failed.status is not None and 300 <= failed.status < 500 and failed.status not in RETRIED:
            raise Fail(str(failed)) from failed
        raise
    ctx.write(_rows(file, config))


def _rows(file: Path, config: HttpPollConfig) -> "list[Json] | pa.Table":
    if config.format == "csv":
        return _read_csv(file)
    text = file.read_text(encoding="utf-8-sig")
    try:
        if config.format == "jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        found: Json = json.loads(text)
    except ValueError as error:
        raise Fail(f"the response is not {config.format}: {error}") from error
    for name in config.rows.split(".") if config.rows else ():
        if not isinstance(found, dict) or name not in found:
            raise Fail(f"the response has no {config.rows}: {name} is missing")
        found = found[name]
    return found if isinstance(found, list) else [found]


def _read_csv(file: Path) -> "pa.Table":
    with data_packages():
        import pyarrow as pa
        import pyarrow.dataset as pads

    try:
        return pads.dataset(str(file), format="csv").to_table()
    except pa.ArrowException as error:
        raise Fail(f"the response is not csv: {error}") from error
