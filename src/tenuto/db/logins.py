"""Logins of users: one coroutine per public function about them in sql/identity/."""

from datetime import datetime, timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call_one, call_value, call_void
from tenuto.model.identity import AdmittedUser, FoundLogin, UnknownUser


async def open_login(
    conn: Conn,
    *,
    org_id: UUID,
    user_id: UUID,
    hash: bytes,
    lasts: timedelta | None = None,
    ip: str | None = None,
    user_agent: str | None = None,
) -> datetime:
    return await call_value(
        conn, "open_login", org_id=org_id, user_id=user_id, hash=hash, lasts=lasts, ip=ip, user_agent=user_agent
    )


async def find_login(conn: Conn, *, hash: bytes) -> FoundLogin:
    return await call_one(conn, "find_login", FoundLogin, hash=hash)


async def admit_login(conn: Conn, *, hash: bytes, rates: list[float], bursts: list[float]) -> AdmittedUser:
    return await call_one(conn, "admit_login", AdmittedUser, hash=hash, rates=rates, bursts=bursts)


async def close_login(conn: Conn, *, hash: bytes) -> None:
    await call_void(conn, "close_login", hash=hash)


async def make_login_token(
    conn: Conn, *, org_id: UUID, user_id: UUID, hash: bytes, lasts: timedelta | None = None
) -> None:
    await call_void(conn, "make_login_token", org_id=org_id, user_id=user_id, hash=hash, lasts=lasts)


async def use_login_token(conn: Conn, *, hash: bytes) -> UnknownUser:
    return await call_one(conn, "use_login_token", UnknownUser, hash=hash)
