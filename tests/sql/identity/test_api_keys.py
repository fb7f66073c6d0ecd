"""API keys: known by their public id and the hash of the whole, until they are revoked or expire."""

from datetime import timedelta

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound, Unauthorized
from tests.support.clock import Clock
from tests.support.database.loops import an_org, value
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import BCRYPT, a_key_id, an_api_key, hash_of


def find(db: Db, key_id: str, *hashes: bytes) -> dict:
    (row,) = call(db, "find_api_key", key_id=key_id, hashes=list(hashes) or [hash_of(key_id)])
    return row


def rotate(db: Db, key: object, new: str, **more: object) -> object:
    made = {"key_id": new, "hash": hash_of(new), "created_by": "bob"}
    return call(db, "rotate_api_key", **{"org_id": DEFAULT_ORG, "id": key, **made, **more})


def listed(db: Db) -> list[dict]:
    return call(db, "list_api_keys", org_id=DEFAULT_ORG)


def test_a_key_says_whose_it_is_and_what_it_may_do(db: Db) -> None:
    org = an_org(db, "acme")
    key = an_api_key(db, "abcdefghijkl", org_id=org, permissions=["runs:read", "tasks:*"])

    assert find(db, "abcdefghijkl") == {
        "org_id": org, "id": key, "name": "ci", "permissions": ["runs:read", "tasks:*"],
    }  # fmt: skip


def test_a_key_is_found_by_any_of_the_peppers_that_are_in_use(db: Db) -> None:
    key = an_api_key(db, "abcdefghijkl")

    assert find(db, "abcdefghijkl", hash_of("newer pepper"), hash_of("abcdefghijkl"))["id"] == key


@pytest.mark.parametrize(("key_id", "secret"), [("abcdefghijkl", "wrong"), ("ABCDEFGHIJKL", "abcdefghijkl"), ("", "")])
def test_a_wrong_id_and_a_wrong_secret_get_the_same_answer(db: Db, key_id: str, secret: str) -> None:
    an_api_key(db, "abcdefghijkl")

    with pytest.raises(Unauthorized, match="no such API key"):
        find(db, key_id, hash_of(secret))

    assert listed(db)[0]["last_used_at"] is None


def test_the_last_use_is_written_at_most_once_a_minute(db: Db, clock: Clock) -> None:
    an_api_key(db, "abcdefghijkl")
    first = clock.now

    find(db, "abcdefghijkl")
    clock.advance(seconds=60)
    find(db, "abcdefghijkl")
    assert listed(db)[0]["last_used_at"] == first

    clock.advance(seconds=1)
    find(db, "abcdefghijkl")
    assert listed(db)[0]["last_used_at"] == clock.now


def test_a_revoked_key_lets_nobody_in_from_the_next_request_on(db: Db, clock: Clock) -> None:
    key = an_api_key(db, "abcdefghijkl")
    assert call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=key) is True
    at = listed(db)[0]["revoked_at"]
    clock.advance(hours=1)

    assert call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=key) is False

    with pytest.raises(Unauthorized, match="revoked"):
        find(db, "abcdefghijkl")
    assert listed(db)[0]["revoked_at"] == at


def test_a_key_expires_at_its_time(db: Db, clock: Clock) -> None:
    an_api_key(db, "abcdefghijkl", expires_at=clock.now + timedelta(hours=1))
    clock.advance(minutes=59)
    assert find(db, "abcdefghijkl")

    clock.advance(minutes=1)

    with pytest.raises(Unauthorized, match="expired"):
        find(db, "abcdefghijkl")


@pytest.mark.parametrize("function", ["revoke_api_key", "rotate_api_key"])
def test_a_key_of_another_org_is_not_found(db: Db, function: str) -> None:
    key = an_api_key(db, "abcdefghijkl", org_id=an_org(db, "acme"))
    more = {"key_id": "newnewnewnew", "hash": hash_of("x"), "created_by": "bob"} if function == "rotate_api_key" else {}

    with pytest.raises(NotFound, match="no API key"):
        call(db, function, org_id=DEFAULT_ORG, id=key, **more)

    assert find(db, "abcdefghijkl")


def test_a_rotated_key_and_its_successor_work_together_for_a_while(db: Db, clock: Clock) -> None:
    old = an_api_key(db, "oldoldoldold", permissions=["runs:read"], expires_at=clock.now + timedelta(days=30))
    clock.advance(days=20)

    new = rotate(db, old, "newnewnewnew", overlap="1 hour")

    assert find(db, "newnewnewnew") == {**find(db, "oldoldoldold"), "id": new}
    made, replaced = listed(db)
    assert (made["expires_at"], made["created_by"]) == (clock.now + timedelta(days=30), "bob")
    assert (replaced["expires_at"], replaced["replaced_by"]) == (clock.now + timedelta(hours=1), new)
    clock.advance(hours=1)
    with pytest.raises(Unauthorized, match="expired"):
        find(db, "oldoldoldold")
    assert find(db, "newnewnewnew")["id"] == new


def test_the_overlap_does_not_prolong_a_key_and_a_key_without_end_gets_one(db: Db, clock: Clock) -> None:
    soon = clock.now + timedelta(minutes=5)
    rotate(db, an_api_key(db, "oldoldoldold", expires_at=soon), "newnewnewnew", overlap="1 hour")
    rotate(db, an_api_key(db, "foreverforev"), "newnewnewne2", overlap="1 hour")

    ends = {row["key_id"]: row["expires_at"] for row in listed(db)}

    assert ends["oldoldoldold"] == soon
    assert (ends["foreverforev"], ends["newnewnewne2"]) == (clock.now + timedelta(hours=1), None)


def test_a_key_is_rotated_once(db: Db) -> None:
    old = an_api_key(db, "oldoldoldold")
    rotate(db, old, "newnewnewnew")

    with pytest.raises(Conflict, match="replaced by"):
        rotate(db, old, "newnewnewne2")

    assert len(listed(db)) == 2


def test_a_revoked_key_is_not_rotated(db: Db) -> None:
    old = an_api_key(db, "oldoldoldold")
    call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=old)

    with pytest.raises(Conflict, match="revoked"):
        rotate(db, old, "newnewnewnew")


def test_a_list_shows_no_hash_and_only_the_orgs_own_keys_newest_first(db: Db) -> None:
    an_api_key(db, a_key_id(), org_id=an_org(db, "acme"))
    keys = [an_api_key(db, a_key_id()) for _ in range(5)]

    page = call(db, "list_api_keys", org_id=DEFAULT_ORG, limit=2)
    rest = call(db, "list_api_keys", org_id=DEFAULT_ORG, before=page[-1]["id"])

    assert [row["id"] for row in [*page, *rest]] == keys[::-1]
    assert {"hash", "bcrypt"} & set(page[0]) == set()
    public = page[0]["key_id"]
    assert call(db, "list_api_keys", org_id=DEFAULT_ORG, key_id=public) == page[:1]
    assert call(db, "list_api_keys", org_id=an_org(db, "other"), key_id=public) == []


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"name": ""}, "name of a key"),
        ({"permissions": []}, "1 to 64 permissions"),
        ({"permissions": ["runs"]}, "'runs' is not a permission"),
        ({"permissions": ["runs:destroy"]}, "runs:destroy"),
        ({"permissions": ["*:read"]}, "read"),
        ({"permissions": ["runs:read "]}, "runs:read "),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expire"),
        ({"hash": b"short"}, "hash_has_32_bytes"),
        ({"key_id": "short"}, "key_id_is_12_of_base62"),
    ],
)
def test_wrong_values_are_named_and_no_key_is_made(db: Db, values: dict[str, object], named: str) -> None:
    made = {"key_id": "abcdefghijkl", "hash": hash_of("x"), "name": "n", "permissions": ["*"], "created_by": "ann"}

    with pytest.raises(InvalidInput, match=named):
        call(db, "create_api_key", org_id=DEFAULT_ORG, **{**made, **values})

    assert listed(db) == []


def test_an_id_that_is_taken_is_a_conflict_in_every_org(db: Db) -> None:
    an_api_key(db, "abcdefghijkl")

    with pytest.raises(Conflict):
        an_api_key(db, "abcdefghijkl", org_id=an_org(db, "acme"))


def an_imported_key(db: Db, prefix: str = "fm_12345", **more: object) -> object:
    made = {"name": "old", "permissions": ["*"], "created_by": "import", "bcrypt": BCRYPT}
    return call(db, "import_api_key", **{"org_id": DEFAULT_ORG, "prefix": prefix, **made, **more})


def test_an_imported_key_is_a_candidate_by_its_first_characters(db: Db) -> None:
    key = an_imported_key(db)
    an_imported_key(db, "fm_99999")

    (found,) = call(db, "find_imported_keys", prefixes=["fm_12345", "fm_1234"])

    assert found == {"org_id": DEFAULT_ORG, "id": key, "bcrypt": BCRYPT}


def test_at_most_eight_candidates_are_looked_at_and_none_that_is_over(db: Db, clock: Clock) -> None:
    for _ in range(10):
        an_imported_key(db)
    call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=an_imported_key(db, "revoked_"))
    an_imported_key(db, "expired_", expires_at=clock.now + timedelta(minutes=1))
    clock.advance(minutes=1)

    assert len(call(db, "find_imported_keys", prefixes=["fm_12345"])) == 8
    assert call(db, "find_imported_keys", prefixes=["revoked_", "expired_"]) == []


def test_a_used_imported_key_is_known_by_its_hash_from_then_on(db: Db) -> None:
    key = an_imported_key(db)
    adopted = {"org_id": DEFAULT_ORG, "id": key, "key_id": "abcdefghijkl", "hash": hash_of("abcdefghijkl")}

    call(db, "adopt_api_key", **adopted)
    call(db, "adopt_api_key", **adopted)

    assert find(db, "abcdefghijkl")["id"] == key
    assert call(db, "find_imported_keys", prefixes=["fm_12345"]) == []
    assert value(db, "select bcrypt from tenuto.api_keys") is None


def test_a_key_that_was_not_imported_is_not_adopted(db: Db) -> None:
    key = an_api_key(db, "abcdefghijkl")

    with pytest.raises(NotFound, match="no imported API key"):
        call(db, "adopt_api_key", org_id=DEFAULT_ORG, id=key, key_id="newnewnewnew", hash=hash_of("x"))

    assert find(db, "abcdefghijkl")


def test_a_hash_that_is_not_bcrypt_is_not_imported(db: Db) -> None:
    with pytest.raises(InvalidInput, match="bcrypt_is_bcrypt"):
        an_imported_key(db, bcrypt="plain text")
