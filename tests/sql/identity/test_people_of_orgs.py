"""One person in several orgs: what one org says of them neither changes nor blocks what they are in another."""

from typing import Any
from uuid import UUID

import pytest

from tenuto.model.errors import Forbidden, InvalidInput
from tests.support.database.loops import an_org
from tests.support.database.tasks import Db, call
from tests.support.database.users import ISSUER, a_user


@pytest.fixture
def acme(db: Db) -> UUID:
    return an_org(db, "acme")


@pytest.fixture
def bolt(db: Db) -> UUID:
    return an_org(db, "bolt")


def come(db: Db, org: str | None = None) -> tuple[Any, Any]:
    """Where Ann is when she comes, and as what."""
    (found,) = call(db, "find_user", issuer=ISSUER, subject="ann", org=org)
    return found["org_id"], found["platform_role"]


def test_an_org_that_registers_a_person_first_has_no_say_over_them_in_another(db: Db, acme: UUID, bolt: UUID) -> None:
    first = a_user(db, org_id=acme, platform_role="reader")

    second = a_user(db, org_id=bolt, platform_role="admin")
    call(db, "disable_user", org_id=acme, user_id=first)

    assert first != second
    assert come(db) == come(db, "bolt") == (bolt, "admin")


def test_a_person_whom_several_orgs_know_names_one_also_if_they_came_to_the_first_before(
    db: Db, acme: UUID, bolt: UUID
) -> None:
    a_user(db, org_id=bolt)
    assert come(db) == (bolt, "reader")

    a_user(db, org_id=acme, platform_role="admin")

    for _ in range(2):
        with pytest.raises(InvalidInput, match=r"user of several orgs: (acme, bolt|bolt, acme)") as refused:
            come(db)
        assert "X-Tenuto-Org" in str(refused.value.hint)
        assert come(db, "acme") == (acme, "admin")
        assert come(db, "bolt") == (bolt, "reader")


def test_a_person_is_nobody_in_an_org_that_does_not_know_them(db: Db, acme: UUID, bolt: UUID) -> None:
    a_user(db, org_id=acme)

    with pytest.raises(Forbidden, match="no user in org bolt has subject ann"):
        come(db, "bolt")


def test_who_is_disabled_where_they_say_is_not_let_in_elsewhere_instead(db: Db, acme: UUID, bolt: UUID) -> None:
    a_user(db, org_id=acme)
    call(db, "disable_user", org_id=bolt, user_id=a_user(db, org_id=bolt))

    with pytest.raises(Forbidden, match="is disabled"):
        come(db, "bolt")
    assert come(db) == (acme, "reader")
