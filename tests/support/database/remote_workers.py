"""A worker over HTTP as the SQL functions see it: a session of a worker key."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import a_key_id, a_worker_key


@dataclass
class RemoteWorker:
    """Numbers its claims, as every worker does."""

    db: Db
    org_id: UUID
    key: UUID
    session_id: int
    token: UUID
    claim_no: int = 0

    @property
    def whose(self) -> dict[str, Any]:
        return {
            "org_id": self.org_id,
            "worker_key_id": self.key,
            "session_id": self.session_id,
            "token": self.token,
        }

    def exchange(
        self, reports: Sequence[tuple[str, int, str | None]] = (), limit: int = 10, **more: object
    ) -> dict[str, Any]:
        """What was claimed and refused, read."""
        self.claim_no += 1
        (row,) = call(
            self.db,
            "exchange_tasks",
            **{
                **self.whose,
                "task_ids": [UUID(task_id) for task_id, _, _ in reports],
                "attempts": [attempt for _, attempt, _ in reports],
                "outputs": [output for _, _, output in reports],
                "claim_no": self.claim_no,
                "limit": limit,
                **more,
            },
        )
        return {**row, "tasks": json.loads(row["tasks"]), "rejected_reports": json.loads(row["rejected_reports"])}


def a_remote_worker(
    db: Db,
    name: str = "far",
    *,
    org_id: UUID = DEFAULT_ORG,
    key: UUID | None = None,
    queues: list[str] | None = None,
    **more: object,
) -> RemoteWorker:
    """By default with a new key for these queues, or for all."""
    key = key or a_worker_key(db, a_key_id(), org_id=org_id, queues=queues or ["*"])
    (row,) = call(db, "register_worker", org_id=org_id, worker_id=name, worker_key_id=key, queues=queues, **more)
    return RemoteWorker(db, org_id, key, row["session_id"], row["token"])
