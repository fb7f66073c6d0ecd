"""Identity through the wrappers, in the role and for the org of a request, as the server asks."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from psycopg import AsyncConnection

from tenuto.db import audit, idempotency, identity, keys, logins, orgs, rate_limits, remote_workers
from tenuto.db.connection.call import Conn
from tenuto.model.audit import Head, diff
from tenuto.model.audit_chain import Verifier
from tenuto.model.errors import Unauthorized
from tenuto.model.identity import FoundApiKey, FoundUser, Tokens, UnknownUser
from tenuto.model.keys import API, WORKER, Peppers, foreign_id, foreign_prefixes, key_hash, key_hashes, make_key
from tenuto.model.signing import decrypt_key, encrypt_key, head_is_signed, make_signing_key, sign_head
from tests.support.database.users import BCRYPT, ISSUER, hash_of

PEPPERS = Peppers((b"p" * 32,))
Story = Callable[[Conn], Awaitable[None]]


def play(database: str, story: Story, role: str = "tenuto_api") -> None:
    async def on_a_connection() -> None:
        async with await AsyncConnection.connect(database, autocommit=True, options=f"-c role={role}") as conn:
            await story(conn)

    asyncio.run(on_a_connection())


@asynccontextmanager
async def acting_for(conn: Conn, org_id: UUID) -> AsyncIterator[None]:
    async with conn.transaction():
        await conn.execute("select set_config('tenuto.org_id', %s, true)", [str(org_id)])
        yield


@pytest.fixture
def org(database: str) -> UUID:
    made: list[UUID] = []

    async def make(conn: Conn) -> None:
        made.append(await orgs.create_org(conn, slug="acme"))

    play(database, make, "tenuto_dispatcher")
    return made[0]


def test_an_api_key_from_its_making_to_its_end(database: str, org: UUID) -> None:
    async def story(conn: Conn) -> None:
        key, newer = make_key(API, "test"), make_key(API, "test")
        made = {"key_id": key.key_id, "hash": key_hash(PEPPERS, key.text), "created_by": "user:ann"}
        async with acting_for(conn, org):
            id = await keys.create_api_key(conn, org_id=org, name="ci", permissions=["runs:*"], **made)

        found = await keys.find_api_key(conn, key_id=key.key_id, hashes=key_hashes(PEPPERS, key.text))
        assert found == FoundApiKey(org, id, "ci", ["runs:*"])

        async with acting_for(conn, org):
            made = {"key_id": newer.key_id, "hash": key_hash(PEPPERS, newer.text), "created_by": "user:ann"}
            successor = await keys.rotate_api_key(conn, org_id=org, id=id, overlap=timedelta(hours=1), **made)
            await keys.revoke_api_key(conn, org_id=org, id=id)
            assert [row.id for row in await keys.list_api_keys(conn, org_id=org)] == [successor, id]
        with pytest.raises(Unauthorized, match="revoked"):
            await keys.find_api_key(conn, key_id=key.key_id, hashes=key_hashes(PEPPERS, key.text))

    play(database, story)


def test_a_key_of_another_system_is_adopted_on_its_first_use(database: str, org: UUID) -> None:
    text = "fm_12345678secret"

    async def story(conn: Conn) -> None:
        made = {"name": "old", "permissions": ["*"], "created_by": "import"}
        async with acting_for(conn, org):
            await keys.import_api_key(conn, org_id=org, prefix=text[:8], bcrypt=BCRYPT, **made)
        (candidate,) = await keys.find_imported_keys(conn, prefixes=foreign_prefixes(text))
        id = foreign_id(PEPPERS, text)
        async with acting_for(conn, candidate.org_id):
            await keys.adopt_api_key(conn, org_id=org, id=candidate.id, key_id=id, hash=key_hash(PEPPERS, text))

        assert (await keys.find_api_key(conn, key_id=id, hashes=key_hashes(PEPPERS, text))).id == candidate.id

    play(database, story)


def test_a_worker_key_from_its_making_to_its_end(database: str, org: UUID) -> None:
    async def story(conn: Conn) -> None:
        key, newer = make_key(WORKER, "test"), make_key(WORKER, "test")
        made = {"key_id": key.key_id, "hash": key_hash(PEPPERS, key.text), "created_by": "user:ann"}
        async with acting_for(conn, org):
            id = await keys.create_worker_key(conn, org_id=org, name="gpu", queues=["gpu"], **made)
        found = await remote_workers.find_worker_key(conn, key_id=key.key_id, hashes=key_hashes(PEPPERS, key.text))
        assert (found.org_id, found.id, found.queues) == (org, id, ["gpu"])
        async with acting_for(conn, org):
            made = {"key_id": newer.key_id, "hash": key_hash(PEPPERS, newer.text), "created_by": "user:ann"}
            await keys.rotate_worker_key(conn, org_id=org, id=id, **made)
            await keys.revoke_worker_key(conn, org_id=org, id=id)
            newest, oldest = await keys.list_worker_keys(conn, org_id=org)
            assert oldest.replaced_by == newest.id

    play(database, story)


def test_a_person_comes_in_by_a_link_and_goes_out(database: str, org: UUID) -> None:
    async def story(conn: Conn) -> None:
        async with acting_for(conn, org):
            user = await identity.put_user(conn, org_id=org, issuer=ISSUER, subject="ann", platform_role="writer")
            await identity.create_role(conn, org_id=org, name="finance")
            await identity.add_member(conn, org_id=org, role="finance", user_id=user)
            await identity.set_user_role(conn, org_id=org, user_id=user, platform_role="admin")
            await logins.make_login_token(conn, org_id=org, user_id=user, hash=hash_of("link"))
        assert await identity.find_user(conn, issuer=ISSUER, subject="ann") == FoundUser(
            org, user, "admin", ["finance"]
        )
        assert await logins.use_login_token(conn, hash=hash_of("link")) == UnknownUser(org, user)
        async with acting_for(conn, org):
            until = await logins.open_login(conn, org_id=org, user_id=user, hash=hash_of("cookie"), ip="::1")
        found = await logins.find_login(conn, hash=hash_of("cookie"))
        assert (found.user_id, found.expires_at, found.roles) == (user, until, ["finance"])
        await logins.close_login(conn, hash=hash_of("cookie"))

        async with acting_for(conn, org):
            assert [one.user_id for one in await identity.list_members(conn, org_id=org, role="finance")] == [user]
            await identity.remove_member(conn, org_id=org, role="finance", user_id=user)
            assert [role.members for role in await identity.list_roles(conn, org_id=org)] == [0]
            await identity.delete_role(conn, org_id=org, name="finance")
            await identity.disable_user(conn, org_id=org, user_id=user)
            await identity.enable_user(conn, org_id=org, user_id=user)
            assert [person.roles for person in await identity.list_users(conn, org_id=org)] == [[]]
            await orgs.update_org(conn, org_id=org, name="Acme Ltd")
            assert [one.name for one in await orgs.list_orgs(conn)] == ["Acme Ltd"]
            assert [group.external_id for group in await identity.list_groups(conn, org_id=org)] == ["default"]

    play(database, story)


def test_a_request_is_limited_and_answered_once(database: str, org: UUID) -> None:
    request = {"actor": "key:1", "key": "k"}

    async def story(conn: Conn) -> None:
        async with acting_for(conn, org):
            bucket = {"buckets": ["key:1"], "rates": [1.0], "bursts": [1.0]}
            assert await rate_limits.take_tokens(conn, org_id=org, **bucket) == Tokens(True, 0.0)
        async with acting_for(conn, org):
            assert not (await rate_limits.take_tokens(conn, org_id=org, **bucket)).allowed
        async with acting_for(conn, org):
            begun = await idempotency.begin_request(conn, org_id=org, **request, request_hash=hash_of("r"))
            await idempotency.finish_request(conn, org_id=org, **request, status=200, response=None)
            again = await idempotency.begin_request(conn, org_id=org, **request, request_hash=hash_of("r"))
            assert (begun.is_new, again.is_new, again.status, again.response) == (True, False, 200, None)

    play(database, story)


def test_what_was_done_is_sealed_signed_and_verified(database: str, org: UUID) -> None:
    key = make_signing_key()
    now = datetime.now(UTC)

    async def write(conn: Conn) -> None:
        what = {"entity": "run", "entity_id": "r1", "action": "cancel", "actor_kind": "user", "actor_id": "ann"}
        async with acting_for(conn, org):
            await audit.write_audit(conn, org_id=org, **what, changes=diff({"a": 1}, {"a": 2}))
            (entry,) = await audit.list_audit(conn, org_id=org, entity="run")
            assert (entry.changes, entry.seq) == ({"a": {"old": 1, "new": 2}}, None)
        kept = encrypt_key(key, PEPPERS)
        assert await keys.add_signing_key(conn, id=key.id, public_key=key.public_key, private_key=kept)

    async def seal(conn: Conn) -> None:
        assert await audit.seal_audit(conn) == 2  # with the entry of the org's creation
        stored = await keys.find_signing_key(conn)
        assert stored
        (head,) = await audit.list_due_heads(conn, every=timedelta(0))
        signed = sign_head(decrypt_key(stored.id, stored.private_key, PEPPERS), head, now)
        await audit.record_head(conn, **vars(signed))
        assert await audit.prune_audit(conn, keep=timedelta(days=365), actor_id="ops") == []

    async def verify(conn: Conn) -> None:
        proving = {row.id: row.public_key for row in await keys.list_signing_keys(conn)}
        async with acting_for(conn, org):
            (head,) = await audit.list_heads(conn, org_id=org)
            chain = await audit.get_chain(conn, org_id=org)
            records = await audit.read_audit(conn, org_id=org)
        assert head_is_signed(head, proving)
        verifier = Verifier(chain.anchor_seq, chain.anchor_hash, [head])
        for record in records:
            verifier.add(record)
        assert verifier.finish(chain, now) == []
        assert Verifier(heads=[Head(org, 1, b"x" * 32)]).finish(chain, now)

    async def retire(conn: Conn) -> None:
        await keys.retire_signing_key(conn, id=key.id)
        assert await keys.find_signing_key(conn) is None

    play(database, write)
    play(database, seal, "tenuto_dispatcher")
    play(database, verify)
    play(database, retire, "tenuto_dispatcher")
