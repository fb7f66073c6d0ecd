"""Starts many runs of one task. All items are encoded first, so that nothing is started if an item is invalid. Then one
SQL statement is sent for every 10,000 items."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from tenuto.db.connection import start_statements
from tenuto.model.errors import InvalidInput
from tenuto.model.ids import uuid7
from tenuto.sdk.client.start_request import Detail, task_detail
from tenuto.sdk.graphs.graph import arguments_of
from tenuto.sdk.task import AnyTask

BATCH = 10_000  # larger statements are no faster and use more memory
NOT_FOR_MANY = ("dedupe_key", "external_id", "run_attempts", "run_id", "name", "deadline", "expires", "hold")


@dataclass(frozen=True)
class BulkStart:
    """The encoded runs of one `start_many`."""

    kind: str
    inputs: list[str]
    ids: list[str]
    details: list[Detail] | None
    dedupe_keys: list[str | None] | None
    group: str | None

    def statements(self, org_id: UUID) -> list[start_statements.Statement]:
        """Return one SQL statement for every 10,000 runs."""
        return [self._statement(org_id, start) for start in range(0, len(self.inputs), BATCH)]

    def _statement(self, org_id: UUID, start: int) -> start_statements.Statement:
        part = slice(start, start + BATCH)
        details = [{"task": no, **detail} for no, detail in enumerate((self.details or [])[part]) if detail]
        return start_statements.start_many(
            org_id=org_id,
            kinds=self.kind,
            inputs=self.inputs[part],
            ids=self.ids[part],
            details=json.dumps(details) if details else None,
            dedupe_keys=self.dedupe_keys[part] if self.dedupe_keys else None,
            group=self.group,
        )


def build_many(task: AnyTask, items: Iterable[object], options: Mapping[str, object]) -> BulkStart:
    """Encode every item. `options` are start options plus `dedupe_keys`."""
    start_options = dict(options)
    keys = cast("Sequence[str | None] | None", start_options.pop("dedupe_keys", None))
    task = task.with_options(start_options) if start_options else task
    for key in NOT_FOR_MANY:
        if key in task.start_options:
            cure = "pass dedupe_keys, one for each item" if key == "dedupe_key" else "start them one by one"
            raise InvalidInput(f"start_many of {task.name}: {key} is an option of a single run", cure)
    inputs, details = _encode(task, items)
    dedupe_keys = None if keys is None else [*keys]
    if dedupe_keys is not None and len(dedupe_keys) != len(inputs):
        raise InvalidInput(f"start_many of {task.name}: {len(dedupe_keys)} dedupe_keys for {len(inputs)} items")
    group = task.start_options.get("resource_group")
    ids = [uuid7() for _ in inputs]
    return BulkStart(json.dumps([task.kind]), inputs, ids, details, dedupe_keys, group)


def _encode(task: AnyTask, items: Iterable[object]) -> tuple[list[str], list[Detail] | None]:
    encode = task.signature.encode
    shared = task_detail(task, None)
    if not task.limited:
        inputs = [
            encode(cast("tuple[object, ...]", item), {})
            if type(item) is tuple
            else encode((), cast("dict[str, object]", item))
            if type(item) is dict
            else encode((item,), {})
            for item in items
        ]
        details = [shared] * len(inputs) if shared else None
    else:
        arguments = [arguments_of(item) for item in items]
        inputs = [encode(*each) for each in arguments]
        details = [{**shared, "limits": task.limits_of(*each)} for each in arguments]
    for no, input in enumerate(inputs):
        if '{"$object":' in input:
            raise InvalidInput(f"start_many of {task.name}: item {no} contains a data object", "start it with tn.start")
    return inputs, details
