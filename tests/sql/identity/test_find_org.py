"""An org by its slug."""

import pytest

from tenuto.model.errors import NotFound
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def test_the_default_org_is_there_from_the_start(db: Db) -> None:
    assert call(db, "find_org", slug="default") == DEFAULT_ORG


def test_an_org_is_found_by_its_slug(db: Db) -> None:
    org = call(db, "create_org", slug="acme")

    assert call(db, "find_org", slug="acme") == org


@pytest.mark.parametrize("slug", ["acme", "Default", "default ", ""])
def test_a_slug_that_no_org_has_is_not_found(db: Db, slug: str) -> None:
    with pytest.raises(NotFound, match="no org"):
        call(db, "find_org", slug=slug)
