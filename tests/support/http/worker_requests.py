"""A worker as the server sees it: a key, a session, and requests."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from starlette.testclient import TestClient

from tenuto.model.keys import WORKER, Peppers, key_hash, make_key
from tests.support.database.tasks import DEFAULT_ORG, call

PEPPERS = Peppers((b"p" * 32,))


def worker_headers(db: psycopg.Connection, *queues: str, org_id: UUID = DEFAULT_ORG, **more: Any) -> dict[str, str]:
    """The header with a new worker key, for these queues or for all."""
    key = make_key(WORKER, "test")
    made = {"name": "fleet", "queues": list(queues) or ["*"], "created_by": "ann", **more}
    call(db, "create_worker_key", org_id=org_id, key_id=key.key_id, hash=key_hash(PEPPERS, key.text), **made)
    return {"Authorization": f"Bearer {key.text}"}


@dataclass
class HttpWorker:
    """Numbers its claims, and knows how to ask."""

    api: TestClient
    headers: dict[str, str]
    session: dict[str, Any]
    claim_no: int = 0

    def ask(self, path: str, *, method: str = "POST", headers: dict[str, str] | None = None, **body: Any) -> Any:
        """The response to one request of the session."""
        said = {**self.session, **body}
        return self.api.request(method, f"/internal/{path}", headers=headers or self.headers, json=said)

    def claim(self, limit: int = 10, **body: Any) -> dict[str, Any]:
        self.claim_no += 1
        response = self.ask("claim", claim_no=self.claim_no, limit=limit, **body)
        assert response.status_code == 200, response.text
        return response.json()

    def claim_one(self, **body: Any) -> dict[str, Any]:
        (task,) = self.claim(1, **body)["tasks"]
        return task


def open_worker(api: TestClient, headers: dict[str, str], name: str = "far", **body: Any) -> HttpWorker:
    response = api.post("/internal/sessions", headers=headers, json={"name": name, **body})
    assert response.status_code == 201, response.text
    opened = response.json()
    return HttpWorker(api, headers, {"session_id": opened["session_id"], "token": opened["token"]})


def fence(task: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"task_id": task["task_id"], "attempt": task["attempt"], **more}
