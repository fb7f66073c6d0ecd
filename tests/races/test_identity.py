"""Two at once: keys rotated, revoked and used, links, requests, roles, sealing."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import TenutoError, Unauthorized
from tenuto.model.permissions import PLATFORM_ROLES
from tests.support.database.interleave import Call, Play, Race
from tests.support.database.loops import an_org, count, value
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.database.users import a_user, an_api_key, an_entry, hash_of


def as_api(*calls: Call) -> Call:
    """The calls as the server makes them: in its role, for the org."""

    def act(db: Any) -> Any:
        db.execute("set local role tenuto_api")
        db.execute("select set_config('tenuto.org_id', %s, true)", [str(DEFAULT_ORG)])
        return [one(db) for one in calls][-1]

    return act


def kinds(answers: list[Any]) -> list[str]:
    return sorted(type(answer).__name__ if isinstance(answer, TenutoError) else "done" for answer in answers)


def test_of_two_who_rotate_a_key_one_is_refused(race: Race) -> None:
    def rotate(key: object, new: str) -> Call:
        made = {"key_id": new, "hash": hash_of(new), "created_by": "bob"}
        return as_api(lambda db: call(db, "rotate_api_key", org_id=DEFAULT_ORG, id=key, **made))

    def scene(play: Play) -> None:
        key = an_api_key(race.db, "oldoldoldold")
        assert kinds(play.run(rotate(key, "newnewnewne1"), rotate(key, "newnewnewne2"))) == ["Conflict", "done"]
        assert count(race.db, "api_keys") == 2

    race.every_order(scene)


def test_a_key_that_is_used_while_it_is_revoked_works_until_that_commits_and_never_after(race: Race) -> None:
    find = as_api(lambda db: call(db, "find_api_key", key_id="abcdefghijkl", hashes=[hash_of("abcdefghijkl")]))

    def scene(play: Play) -> str:
        key = an_api_key(race.db, "abcdefghijkl")
        used, _ = play.run(find, as_api(lambda db: call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=key)))
        assert value(race.db, "select revoked_at is not null from tenuto.api_keys")
        with pytest.raises(Unauthorized, match="revoked"):
            call(race.db, "find_api_key", key_id="abcdefghijkl", hashes=[hash_of("abcdefghijkl")])
        return kinds([used])[0]

    assert set(race.every_order(scene)) == {"done", "Unauthorized"}


def test_a_link_that_two_follow_lets_one_in(race: Race) -> None:
    use = as_api(lambda db: call(db, "use_login_token", hash=hash_of("link")))

    def scene(play: Play) -> None:
        call(race.db, "make_login_token", org_id=DEFAULT_ORG, user_id=a_user(race.db), hash=hash_of("link"))
        assert kinds(play.run(use, use)) == ["Unauthorized", "done"]

    race.every_order(scene)


def test_a_person_disabled_while_they_log_in_is_out_afterwards(race: Race) -> None:
    def scene(play: Play) -> None:
        user = a_user(race.db)
        login = {"org_id": DEFAULT_ORG, "user_id": user, "hash": hash_of("cookie")}
        play.run(
            as_api(lambda db: call(db, "open_login", **login)),
            as_api(lambda db: call(db, "disable_user", org_id=DEFAULT_ORG, user_id=user)),
        )
        try:
            call(race.db, "find_login", hash=hash_of("cookie"))
        except TenutoError:
            return
        raise AssertionError("a disabled person is in")

    race.every_order(scene)


def test_a_request_that_comes_twice_at_once_is_done_once_and_both_get_its_answer(race: Race) -> None:
    request = {"org_id": DEFAULT_ORG, "actor": "key:1", "key": "k"}

    def work(name: str) -> Call:
        def do(db: Any) -> Any:
            (begun,) = call(db, "begin_request", **request, request_hash=hash_of("request"))
            if not begun["is_new"]:
                return begun["response"]
            call(db, "create_role", org_id=DEFAULT_ORG, name=name)
            call(db, "finish_request", **request, status=201, response=Jsonb(name))
            return name

        return as_api(do)

    def scene(play: Play) -> str:
        one, two = play.run(work("one"), work("two"))
        assert one == two
        assert value(race.db, "select array_agg(name) from tenuto.org_roles") == [one]
        return one

    assert set(race.every_order(scene)) == {"one", "two"}


def test_a_role_deleted_while_somebody_gets_it_leaves_nobody_with_it(race: Race) -> None:
    def scene(play: Play) -> None:
        user = a_user(race.db)
        call(race.db, "create_role", org_id=DEFAULT_ORG, name="finance")
        play.run(
            as_api(lambda db: call(db, "delete_role", org_id=DEFAULT_ORG, name="finance")),
            as_api(lambda db: call(db, "add_member", org_id=DEFAULT_ORG, role="finance", user_id=user)),
        )
        (found,) = call(race.db, "list_users", org_id=DEFAULT_ORG)
        assert (found["roles"], count(race.db, "org_role_memberships")) == ([], 0)

    race.every_order(scene)


def test_entries_written_while_two_dispatchers_seal_get_one_place_each(race: Race) -> None:
    def seal(db: Any) -> int:
        db.execute("set local role tenuto_dispatcher")
        return call(db, "seal_audit")

    def scene(play: Play) -> None:
        for _ in range(3):
            an_entry(race.db)
        play.run(seal, seal, lambda db: an_entry(db))
        call(race.db, "seal_audit")
        assert value(race.db, "select array_agg(seq order by seq) from tenuto.audit_log") == [1, 2, 3, 4]
        assert count(race.db, "audit_unsealed") == 0

    race.every_order(scene, 1, 1, 1)


def test_of_two_who_add_a_signing_key_one_does(race: Race) -> None:
    def add(id: str) -> Call:
        key = {"public_key": {"kid": id}, "private_key": b"x", "younger_than": "1 day"}
        return as_api(lambda db: call(db, "add_signing_key", id=id, **key))

    def scene(play: Play) -> None:
        assert sorted(play.run(add("one"), add("two"))) == [False, True]
        assert count(race.db, "signing_keys") == 1

    race.every_order(scene)


@pytest.mark.parametrize("slug", ["default", "acme"])
def test_a_person_whom_two_put_at_once_is_one_in_each_org(race: Race, slug: str) -> None:
    org = DEFAULT_ORG if slug == "default" else an_org(race.db, slug)

    def scene(play: Play) -> None:
        one, other = play.run(a_user, lambda db: a_user(db, org_id=org))
        assert (one == other) == (slug == "default")

    race.every_order(scene)


def test_a_user_promoted_while_a_clerk_changes_them_is_changed_before_or_not_at_all(race: Race) -> None:
    def scene(play: Play) -> str:
        user = a_user(race.db)
        clerk = an_api_key(race.db, "abcdefghijkl", permissions=["users:*", *sorted(PLATFORM_ROLES["reader"])])
        promote = {"org_id": DEFAULT_ORG, "user_id": user, "platform_role": "admin"}
        disable = {"org_id": DEFAULT_ORG, "user_id": user, "by_key": clerk}
        _, disabled = play.run(
            as_api(lambda db: call(db, "set_user_role", **promote)),
            as_api(lambda db: call(db, "disable_user", **disable)),
        )
        refused = isinstance(disabled, TenutoError)
        assert value(race.db, "select disabled_at is null from tenuto.users") == refused
        assert value(race.db, "select platform_role from tenuto.users") == "admin"
        return kinds([disabled])[0]

    assert set(race.every_order(scene)) == {"done", "Forbidden"}


def test_a_user_who_is_put_twice_at_once_is_there_once(race: Race) -> None:
    def put(**more: str) -> Call:
        return as_api(lambda db: call(db, "put_user", org_id=DEFAULT_ORG, issuer="https://a", subject="ann", **more))

    def scene(play: Play) -> None:
        one, two = play.run(put(name="Ann"), put(email="ann@example.com"))
        assert one == two
        assert value(race.db, "select name || ' ' || email from tenuto.users") == "Ann ann@example.com"

    race.every_order(scene)
