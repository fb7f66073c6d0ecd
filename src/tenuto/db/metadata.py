"""Changes the metadata of runs and tasks after their start: one coroutine per public function."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call_value, json_value
from tenuto.model.json import JsonObject


async def set_run_metadata(conn: Conn, *, org_id: UUID, run_id: UUID, changes: JsonObject) -> JsonObject:
    return await call_value(conn, "set_run_metadata", org_id=org_id, run_id=run_id, changes=json_value(changes))


async def set_task_metadata(conn: Conn, *, org_id: UUID, task_id: UUID, changes: JsonObject) -> JsonObject:
    return await call_value(conn, "set_task_metadata", org_id=org_id, task_id=task_id, changes=json_value(changes))
