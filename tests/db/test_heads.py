"""The key that signs, and the ends of chains it signs."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

import pytest
from psycopg import AsyncConnection

from tenuto.db.audit_signing import sign_heads, signing_key
from tenuto.db.connection.call import Conn
from tenuto.model.audit import SignedHead
from tenuto.model.errors import InvalidInput
from tenuto.model.keys import Peppers
from tenuto.model.signing import head_is_signed
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import an_entry

PEPPERS = Peppers((b"p" * 32,))
T = TypeVar("T")


def act(database: str, deed: Callable[[Conn], Awaitable[T]], role: str = "tenuto_dispatcher") -> T:
    async def on_a_connection() -> T:
        async with await AsyncConnection.connect(database, autocommit=True, options=f"-c role={role}") as conn:
            return await deed(conn)

    return asyncio.run(on_a_connection())


def test_the_ends_of_all_chains_are_signed_once_and_proven_by_the_published_key(db: Db, database: str) -> None:
    for org in (DEFAULT_ORG, an_org(db, "acme")):
        an_entry(db, org_id=org)
    call(db, "seal_audit")

    assert act(database, lambda conn: sign_heads(conn, PEPPERS)) == 2
    assert act(database, lambda conn: sign_heads(conn, PEPPERS)) == 0

    proving = {row["id"]: row["public_key"] for row in call(db, "list_signing_keys")}
    (head,) = call(db, "list_heads", org_id=DEFAULT_ORG)
    assert head_is_signed(SignedHead(**head), proving)


def test_nothing_is_signed_and_no_key_is_made_while_nothing_was_done(db: Db, database: str) -> None:
    assert act(database, lambda conn: sign_heads(conn, PEPPERS)) == 0
    assert call(db, "list_signing_keys") == []


def test_a_key_signs_until_it_is_old_and_the_next_one_is_made(db: Db, database: str) -> None:
    first = act(database, lambda conn: signing_key(conn, PEPPERS))
    assert act(database, lambda conn: signing_key(conn, PEPPERS)).id == first.id
    db.execute("update tenuto.signing_keys set created_at = created_at - interval '30 days'")

    second = act(database, lambda conn: signing_key(conn, PEPPERS, rotate_after=timedelta(days=30)))

    assert second.id != first.id
    assert [row["id"] for row in call(db, "list_signing_keys")] == [second.id, first.id]


def test_those_who_find_no_key_at_once_agree_on_one(db: Db, database: str) -> None:
    async def together(_: Conn) -> set[str]:
        async def one() -> str:
            async with await AsyncConnection.connect(
                database, autocommit=True, options="-c role=tenuto_dispatcher"
            ) as conn:
                return (await signing_key(conn, PEPPERS)).id

        return set(await asyncio.gather(*(one() for _ in range(5))))

    assert len(act(database, together)) == 1
    assert len(call(db, "list_signing_keys")) == 1


def test_another_pepper_does_not_open_the_key_and_makes_no_other(db: Db, database: str) -> None:
    act(database, lambda conn: signing_key(conn, PEPPERS))

    with pytest.raises(InvalidInput, match="TENUTO_PEPPER"):
        act(database, lambda conn: signing_key(conn, Peppers((b"x" * 32,))))

    assert len(call(db, "list_signing_keys")) == 1
