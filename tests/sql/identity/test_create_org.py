"""A new tenant."""

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, InvalidInput
from tests.support.database.tasks import Db, a_worker, call, start_one


def test_a_new_org_can_start_and_run_tasks_at_once(db: Db) -> None:
    org = call(db, "create_org", slug="acme", name="Acme Ltd")

    task_id = start_one(db, org_id=org)

    assert a_worker(db, org_id=org).claim_one().task_id == task_id
    assert db.execute("select slug, name, settings from tenuto.orgs where id = %s", [org]).fetchall() == [
        ("acme", "Acme Ltd", {})
    ]


def test_an_org_without_a_name_is_called_by_its_slug(db: Db) -> None:
    org = call(db, "create_org", slug="acme")

    assert db.execute("select name from tenuto.orgs where id = %s", [org]).fetchone() == ("acme",)


def test_a_slug_that_is_taken_is_a_conflict_and_changes_nothing(db: Db) -> None:
    call(db, "create_org", slug="acme", name="First")

    with pytest.raises(Conflict, match="acme"):
        call(db, "create_org", slug="acme", name="Second")

    assert db.execute("select name from tenuto.orgs where slug = 'acme'").fetchall() == [("First",)]


@pytest.mark.parametrize("slug", ["", "Acme", "-acme", "ac me", "ac/me", "a" * 64, "acme\n", "ä"])
def test_a_slug_that_could_not_be_part_of_an_address_is_refused(db: Db, slug: str) -> None:
    with pytest.raises(InvalidInput, match="slug"):
        call(db, "create_org", slug=slug)


@pytest.mark.parametrize("slug", ["a", "0", "a-b_c", "a" * 63])
def test_the_shortest_and_the_longest_slug_are_fine(db: Db, slug: str) -> None:
    assert call(db, "find_org", slug=slug if call(db, "create_org", slug=slug) else "")


@pytest.mark.parametrize(
    "settings", [[], 1, None, {"retention_dayz": 3}, {"retention_days": "3"}, {"retention_days": 0}]
)
def test_settings_that_nothing_reads_are_refused_and_no_org_is_made(db: Db, settings: object) -> None:
    with pytest.raises(InvalidInput, match=r"setting|retention_days"):
        call(db, "create_org", slug="acme", settings=Jsonb(settings))

    assert db.execute("select count(*) from tenuto.orgs where slug = 'acme'").fetchone() == (0,)
