"""Keys that another system gave out: good as they are, slow once, and ours from then on."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from math import inf
from typing import Any, cast
from uuid import UUID

import bcrypt
import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.db.keys import find_imported_keys
from tenuto.model.identity import ImportedKey
from tenuto.model.ids import uuid7
from tenuto.server.auth.imported_keys import BcryptChecker, Busy
from tenuto.server.settings import RateLimit
from tests.support.database.audit import entries_of_requests
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.database.users import BCRYPT

KEY = "fm_live_4f3d2c1b0a99887766554433221100ff"
Import = Callable[..., UUID]


@pytest.fixture
def imported(db: psycopg.Connection) -> Import:
    """`imported("fm_live_…")`: a key of which we got the first eight characters and a cheap bcrypt hash."""

    def put(key: str = KEY, *, org_id: UUID = DEFAULT_ORG, bcrypted: str | None = None, **more: Any) -> UUID:
        hashed = bcrypted or bcrypt.hashpw(key.encode()[:72], bcrypt.gensalt(4)).decode()
        made = {"name": "old ci", "permissions": ["runs:read"], "created_by": "ann", **more}
        return call(db, "import_api_key", org_id=org_id, prefix=key[:8], bcrypt=hashed, **made)

    return put


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def stored(db: psycopg.Connection, id: UUID) -> tuple[Any, ...]:
    found = db.execute("select key_id is not null, hash is not null, bcrypt from tenuto.api_keys where id = %s", [id])
    return found.fetchone() or ()


def test_an_imported_key_lets_in_and_its_bcrypt_hash_is_gone_after_the_first_use(
    api: TestClient, db: psycopg.Connection, imported: Import
) -> None:
    id = imported()

    assert api.get("/v1/runs", headers=bearer(KEY)).status_code == 200
    assert stored(db, id) == (True, True, None)
    assert api.get("/v1/runs", headers=bearer(KEY)).status_code == 200
    assert api.get("/v1/workers", headers=bearer(KEY)).status_code == 403
    (entry,) = entries_of_requests(db)
    assert (entry["action"], entry["entity_id"], entry["actor_kind"]) == ("adopt", str(id), "api_key")
    assert KEY not in str(entry)


def test_a_key_that_begins_alike_does_not_let_in(api: TestClient, db: psycopg.Connection, imported: Import) -> None:
    id = imported()

    refused = api.get("/v1/runs", headers=bearer(KEY[:-1] + "0"))

    assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized")
    assert stored(db, id)[0] is False


def test_the_right_one_of_several_that_begin_alike_is_found(
    api: TestClient, db: psycopg.Connection, imported: Import
) -> None:
    others = [imported(KEY[:8] + str(no) * 30) for no in range(3)]
    mine = imported(permissions=["workers:read"])
    others += [imported(KEY[:8] + str(no) * 30) for no in range(3, 6)]

    assert api.get("/v1/workers", headers=bearer(KEY)).status_code == 200
    assert stored(db, mine)[0] is True
    assert [stored(db, other)[0] for other in others] == [False] * 6


def test_all_that_begin_alike_are_compared(api: TestClient, db: psycopg.Connection, imported: Import) -> None:
    oldest = imported()
    for no in range(20):
        imported(KEY[:8] + f"{no:02}" * 15)  # newer ones come first

    assert api.get("/v1/runs", headers=bearer(KEY)).status_code == 200
    assert stored(db, oldest)[0] is True
    assert api.get("/v1/runs", headers=bearer(KEY[:8] + "x" * 30)).status_code == 401


def test_a_key_that_takes_long_to_compare_goes_on_where_it_stopped(api: TestClient, imported: Import) -> None:
    app = cast("Any", api.app)
    app.state = replace(app.state, bcrypt_checker=BcryptChecker(seconds=0.0))
    imported()
    for no in range(3):
        imported(KEY[:8] + str(no) * 30)

    statuses = [api.get("/v1/runs", headers=bearer(KEY)).status_code for _ in range(5)]

    assert (statuses[0], statuses[-1]) == (429, 200)


def test_an_address_has_a_budget_of_seconds_and_others_have_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenuto.server.auth.imported_keys.BUDGET", RateLimit(1e-6, 1e-9))  # one comparison is too much
    asyncio.run(spend_the_budget())


async def spend_the_budget() -> None:
    checker = BcryptChecker()
    hashes = [bcrypt.hashpw(key.encode(), bcrypt.gensalt(4)).decode() for key in (KEY, "other", "third")]
    candidates = [ImportedKey(DEFAULT_ORG, UUID(uuid7()), one) for one in hashes]

    async def page(before: UUID | None) -> list[ImportedKey]:
        return [] if before == candidates[-1].id else candidates

    for guess in ("a guess", "another guess"):
        with pytest.raises(Busy) as refused:
            await checker.find(guess, "10.0.0.1", page)
        assert refused.value.retry_after >= 1
    for _ in range(2):  # a good key costs its address nothing
        assert await checker.find(KEY, "10.0.0.2", page) == candidates[0]


def test_a_key_does_not_wait_behind_the_guesses_of_another_address() -> None:
    assert asyncio.run(guesses_compared_before_a_good_key()) < 7


async def guesses_compared_before_a_good_key() -> int:
    checker, ended = BcryptChecker(), list[str]()
    slow, quick = (bcrypt.hashpw(KEY.encode(), bcrypt.gensalt(cost)).decode() for cost in (10, 4))

    async def find(key: str, address: str, hashed: str) -> None:
        candidate = ImportedKey(DEFAULT_ORG, UUID(uuid7()), hashed)

        async def page(before: UUID | None) -> list[ImportedKey]:
            return [candidate] if before is None else []

        await checker.find(key, address, page)
        ended.append(key)

    guesses = [find(f"guess {no}", "10.0.0.1", slow) for no in range(8)]
    await asyncio.gather(*guesses, find(KEY, "10.0.0.2", quick))
    return ended.index(KEY)


def test_waiting_for_a_busy_machine_costs_an_address_nothing() -> None:
    ticks = count(step=100.0)  # every look at the clock is 100 s later
    checker = BcryptChecker(clock=lambda: next(ticks), seconds=inf)
    hashes = [bcrypt.hashpw(key.encode(), bcrypt.gensalt(4)).decode() for key in ("other", "third", KEY)]
    candidates = [ImportedKey(DEFAULT_ORG, UUID(uuid7()), one) for one in hashes]

    async def page(_: UUID | None) -> list[ImportedKey]:
        return candidates

    assert asyncio.run(checker.find(KEY, "10.0.0.1", page)) == candidates[-1]


def test_revoked_and_expired_imported_keys_let_nobody_in(
    api: TestClient, db: psycopg.Connection, imported: Import
) -> None:
    used = imported()
    assert api.get("/v1/runs", headers=bearer(KEY)).status_code == 200
    call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=used)
    revoked = api.get("/v1/runs", headers=bearer(KEY))
    assert (revoked.status_code, "was revoked" in revoked.json()["detail"]) == (401, True)

    fresh = "fm_test_" + "e" * 32
    call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=imported(fresh))
    assert api.get("/v1/runs", headers=bearer(fresh)).status_code == 401


def test_a_key_longer_than_bcrypt_counts_is_known_as_a_whole_after_its_first_use(
    api: TestClient, imported: Import
) -> None:
    long = "fm_live_" + "k" * 100
    imported(long)

    assert api.get("/v1/runs", headers=bearer(long)).status_code == 200
    assert api.get("/v1/runs", headers=bearer(long[:90])).status_code == 401


def test_a_hash_that_would_take_minutes_is_not_compared(api: TestClient, imported: Import) -> None:
    imported(bcrypted=BCRYPT.replace("$12$", "$31$"))

    assert api.get("/v1/runs", headers=bearer(KEY)).status_code == 401


def test_many_first_uses_at_once_agree(api: TestClient, db: psycopg.Connection, imported: Import) -> None:
    imported()

    with ThreadPoolExecutor(6) as together:
        statuses = list(together.map(lambda _: api.get("/v1/runs", headers=bearer(KEY)).status_code, range(6)))

    assert statuses == [200] * 6


def test_a_first_use_that_another_overtakes_is_let_in_too(
    api: TestClient, imported: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported()
    overtaking: list[int] = []

    async def find_later(conn: Any, *, prefixes: list[str], before: UUID | None) -> list[ImportedKey]:
        if not overtaking:  # ours has looked for the key as it is known after its first use, and found nothing
            overtaking.append(0)
            other = await asyncio.to_thread(api.get, "/v1/runs", headers=bearer(KEY))
            overtaking[0] = other.status_code
        return await find_imported_keys(conn, prefixes=prefixes, before=before)

    monkeypatch.setattr("tenuto.server.auth.imported_keys.keys.find_imported_keys", find_later)

    assert api.get("/v1/runs", headers=bearer(KEY)).status_code == 200
    assert overtaking == [200]


def test_who_guesses_too_much_at_once_is_told_to_wait(
    api: TestClient, imported: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported()
    monkeypatch.setattr("tenuto.server.auth.imported_keys.MAX_WAITING_CHECKS", 0)

    refused = api.get("/v1/runs", headers=bearer(KEY))

    assert (refused.status_code, refused.headers["retry-after"]) == (429, "2")


def test_what_no_system_gives_out_costs_nothing(api: TestClient) -> None:
    for text in ("ä" * 20, "x" * 600, "tn_live_short", "a b"):
        sent = {"Authorization": f"Bearer {text}".encode()}
        refused = api.get("/v1/runs", headers=sent)  # pyright: ignore[reportArgumentType]
        assert refused.status_code == 401, text
