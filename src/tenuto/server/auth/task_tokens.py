"""Issues task tokens for attempts, signed with the newest signing key of the installation."""

import time
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from tenuto.db.audit_signing import signing_key
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.attempt_files import token_lists
from tenuto.model.principals import TaskPrincipal
from tenuto.model.task_tokens import lifetime, make_task_token
from tenuto.server.schemas.worker_sessions import TokenResponse
from tenuto.server.settings import ServerSettings


async def issue_token(
    pool: ConnectionPool, settings: ServerSettings, principal: TaskPrincipal, timeout_seconds: float | None
) -> TokenResponse:
    key, now, seconds = await pool.call(signing_key, settings.peppers), time.time(), lifetime(timeout_seconds)
    text = make_task_token(key, principal, now=now, seconds=seconds)
    return TokenResponse(token=text, expires_at=datetime.fromtimestamp(int(now + seconds), UTC))


async def add_tokens(
    pool: ConnectionPool, settings: ServerSettings, tasks: list[dict[str, Any]], *, org_id: UUID, session_id: int
) -> None:
    """Add a token to each of the tasks that a session claimed."""
    key, now = await pool.call(signing_key, settings.peppers), time.time()
    for task in tasks:
        ids = UUID(task["task_id"]), task["attempt"], session_id, UUID(task["run_id"])
        principal = TaskPrincipal(org_id, *ids, *token_lists(task["input"]))
        task["token"] = make_task_token(key, principal, now=now, seconds=lifetime(task["timeout_seconds"]))
