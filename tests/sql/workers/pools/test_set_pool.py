"""Pools: their policies, and who controls them."""

from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import call_sync
from tenuto.dispatcher.fleet.decide import decide
from tenuto.model.errors import Conflict, InvalidInput, NotFound, TooLarge
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.pools import a_pool, carry_out, pool_facts, scale, take_pools
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start


def set_pool(db: Db, **policy: object) -> None:
    call(db, "set_pool", org_id=DEFAULT_ORG, name="gpu", policy=Jsonb(policy))


def pool(db: Db) -> dict[str, object]:
    (row,) = call_sync(db, "list_pools", org_id=DEFAULT_ORG, name="gpu")
    return row


def test_a_pool_keeps_what_is_not_named(db: Db) -> None:
    set_pool(db, provider="ecs", max_workers=4, queues=["a"], settings={"cluster": "x"}, max_failure_rate=0.5)

    set_pool(db, min_workers=2, queues=None)

    row = pool(db)
    names = ("provider", "min_workers", "max_workers", "queues", "settings", "max_failure_rate", "paused_at")
    assert [row[name] for name in names] == ["ecs", 2, 4, None, {"cluster": "x"}, 0.5, None]


def test_a_pool_is_paused_and_resumed(db: Db, clock: Clock) -> None:
    set_pool(db, max_workers=1, paused=True)
    assert pool(db)["paused_at"] == clock.now

    set_pool(db, paused=False)

    assert pool(db)["paused_at"] is None


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ({"max_worker": 4}, "'max_worker' is not a field"),
        ({"max_workers": 20_000}, "max_workers is not between"),
        ({"min_workers": 5, "max_workers": 4}, "min_workers is not between"),
        ({"max_workers": "many"}, "the policy of pool gpu is wrong"),
        ({"max_workers": None}, "max_workers of pool gpu is null"),
        ({"provider": ""}, "the provider of a pool"),
        ({"tiers": [1]}, "tiers is not a list of objects"),
        ({"tiers": {}}, "tiers is not a list of objects"),
        ({"settings": []}, "settings is not an object"),
        ({"settings": {"blob": "x" * 100_000}}, "settings has more than 64 kB"),
        ({"max_failure_rate": "NaN"}, "max_failure_rate"),
        ({"idle_timeout_seconds": -1}, "idle_timeout_seconds"),
        ({"spawn_timeout_seconds": 0}, "spawn_timeout_seconds"),
        ({"queues": ["a" * 300]}, "queues"),
        ({"paused": "yes"}, "paused of pool gpu is not true or false"),
    ],
)
def test_a_wrong_policy_is_refused_and_nothing_is_made(db: Db, policy: dict[str, object], text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        set_pool(db, **policy)

    assert db.execute("select from tenuto.pools").fetchall() == []


def test_one_dispatcher_at_a_time_controls_a_pool(db: Db, clock: Clock) -> None:
    first, second = uuid4(), uuid4()
    a_pool(db, dispatcher=first)

    assert (take_pools(db, second), take_pools(db, first)) == ([], ["gpu"])
    clock.advance(seconds=9)
    assert take_pools(db, first) == ["gpu"]  # renewed
    clock.advance(seconds=9)
    assert take_pools(db, second) == []
    clock.advance(seconds=2)
    assert (take_pools(db, second), take_pools(db, first)) == (["gpu"], [])


def test_a_dispatcher_takes_only_pools_of_its_providers(db: Db) -> None:
    set_pool(db, provider="runpod")

    assert take_pools(db, uuid4(), "local", "ecs") == []
    assert take_pools(db, uuid4(), "runpod") == ["gpu"]


def test_a_pool_without_machines_is_deleted_with_its_decisions(db: Db) -> None:
    scale(db, a_pool(db))

    call(db, "delete_pool", org_id=DEFAULT_ORG, name="gpu")

    assert db.execute("select from tenuto.scaling_decisions").fetchall() == []
    with pytest.raises(NotFound, match="no pool gpu"):
        call(db, "delete_pool", org_id=DEFAULT_ORG, name="gpu")


def test_a_pool_with_machines_is_deleted_only_by_force_and_leaves_them(db: Db) -> None:
    start(db, 1)
    scale(db, a_pool(db))

    with pytest.raises(Conflict, match="has machines: 1"):
        call(db, "delete_pool", org_id=DEFAULT_ORG, name="gpu")
    call(db, "delete_pool", org_id=DEFAULT_ORG, name="gpu", force=True)

    assert db.execute("select id, pool_id from tenuto.workers").fetchall() == [("m1", None)]


def test_a_problem_is_shown_until_it_is_over(db: Db, clock: Clock) -> None:
    pool_id = a_pool(db)
    for problem in ("429", "503"):
        call(db, "note_pool_problem", org_id=DEFAULT_ORG, pool_id=pool_id, problem=problem)
    assert (pool(db)["problem"], pool(db)["problem_at"]) == ("503", clock.now)

    call(db, "note_pool_problem", org_id=DEFAULT_ORG, pool_id=pool_id)

    assert (pool(db)["problem"], pool(db)["problem_at"]) == (None, None)


def test_a_pool_with_machines_keeps_its_provider(db: Db) -> None:
    a_pool(db, "gpu", provider="ecs")
    db.execute(
        "insert into tenuto.workers (org_id, id, status, created_at, pool_id, provider_id)"
        " select org_id, 'm', 'starting', now(), id, 'i-1' from tenuto.pools"
    )

    with pytest.raises(Conflict, match="pool gpu has machines of provider ecs"):
        set_pool(db, provider="local")
    set_pool(db, provider="ecs", max_workers=0)


def test_a_pool_counts_the_tasks_that_its_workers_could_take(db: Db) -> None:
    start(db, 1, 2, kind={"queue": "a", "type": "app.one"})
    start(db, 3, kind={"queue": "b", "type": "app.two", "labels": ["gpu"]})
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="c", new=True)
    start(db, 4, kind={"queue": "c", "type": "app.one"})

    ready = {
        name: pool_facts(db, a_pool(db, name, **policy)).ready
        for name, policy in {
            "all": {"labels": ["gpu", "fast"]},
            "plain": {},
            "queue": {"queues": ["b"], "labels": ["gpu"]},
            "type": {"types": ["app.one"]},
        }.items()
    }

    assert ready == {"all": 3, "plain": 2, "queue": 1, "type": 2}


def test_a_dispatcher_takes_the_pools_of_its_org_only(db: Db) -> None:
    other = an_org(db, "other")
    for org in (DEFAULT_ORG, other):
        call(db, "set_pool", org_id=org, name="gpu", policy=Jsonb({"provider": "local", "max_workers": 2}))

    taken = call(db, "take_pools", dispatcher_id=uuid4(), providers=["local"], org_id=other)

    assert [row["org_id"] for row in taken] == [other]
    assert len(call(db, "take_pools", dispatcher_id=uuid4(), providers=["local"])) == 1


def test_an_org_has_a_hundred_pools_at_most(db: Db) -> None:
    for number in range(100):
        call(db, "set_pool", org_id=DEFAULT_ORG, name=f"p{number}", policy=Jsonb({}))
    with pytest.raises(TooLarge, match="maximum of 100 pools"):
        set_pool(db, max_workers=1)

    call(db, "set_pool", org_id=DEFAULT_ORG, name="p7", policy=Jsonb({"max_workers": 2}))
    call(db, "delete_pool", org_id=DEFAULT_ORG, name="p8")
    set_pool(db, max_workers=1)


def test_machines_are_requested_by_hand(db: Db) -> None:
    pool_id = a_pool(db, max_workers=2)
    facts = pool_facts(db, pool_id)
    assert call(db, "request_machines", org_id=DEFAULT_ORG, name="gpu", count=2) == 2
    assert carry_out(db, pool_id, facts, decide(facts)) is False  # decided before the request

    decision = scale(db, pool_id)

    assert (decision.spawn, decision.rule) == (2, "requested")
    assert decision.reason == "there is no work; 2 requested by hand"
    facts = pool_facts(db, pool_id)
    assert (facts.requested, len(facts.machines), decide(facts).spawn) == (0, 2, 0)


def test_a_request_that_finds_no_room_is_over(db: Db) -> None:
    pool_id = a_pool(db, max_workers=1, min_workers=1)
    scale(db, pool_id)
    call(db, "request_machines", org_id=DEFAULT_ORG, name="gpu")

    assert (scale(db, pool_id).spawn, pool_facts(db, pool_id).requested) == (0, 0)


@pytest.mark.parametrize(
    ("values", "error"),
    [({"name": "none"}, NotFound), ({"count": 0}, InvalidInput), ({"count": 3}, Conflict)],
)
def test_a_wrong_request_changes_nothing(db: Db, values: dict[str, object], error: type[Exception]) -> None:
    pool_id = a_pool(db, max_workers=2)
    with pytest.raises(error):
        call(db, "request_machines", **{"org_id": DEFAULT_ORG, "name": "gpu", "count": 1, **values})
    call(db, "set_pool", org_id=DEFAULT_ORG, name="gpu", policy=Jsonb({"paused": True}))
    with pytest.raises(Conflict, match="is paused"):
        call(db, "request_machines", org_id=DEFAULT_ORG, name="gpu", count=1)

    assert pool_facts(db, pool_id).requested == 0
