"""The forms of `as_of`: a version of a dataset, a version of a DAG, or a time."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from tenuto.model.errors import InvalidInput

FORMS = "the id of a dataset version, a version of its DAG (2), DAG@VERSION (shop@2), or 2026-01-31T12:00:00Z"
MAX_DAG_VERSION = 2_147_483_647

_DAG_VERSION = re.compile(r"(?:(?P<dag>[a-z][a-z0-9_-]{0,99})@)?(?P<version>[1-9][0-9]{0,9})")


@dataclass(frozen=True)
class AsOf:
    """The versions that a query reads instead of the current ones: one version of a dataset, the dataset versions of a
    DAG version, or the versions that were current at a time. At most one of `version_id`, `dag_version` and `at` is
    set. `dag`: the DAG of `dag_version`, if the caller passed one."""

    version_id: UUID | None = None
    dag: str | None = None
    dag_version: int | None = None
    at: datetime | None = None


CURRENT = AsOf()


def parse_as_of(text: str | None) -> AsOf:
    """Parse `as_of`. Raises InvalidInput if it has none of the forms, or is a time without a time zone or in the
    future."""
    if text is None:
        return CURRENT
    if (found := _DAG_VERSION.fullmatch(text)) and int(found["version"]) <= MAX_DAG_VERSION:
        return AsOf(dag=found["dag"], dag_version=int(found["version"]))
    try:
        return AsOf(version_id=UUID(text))
    except ValueError:
        pass
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"as_of is {text!r:.100}", f"write {FORMS}") from None
    if at.tzinfo is None:
        in_utc = at.isoformat(timespec="auto" if at.second or at.microsecond else "minutes")
        raise InvalidInput(f"as_of is {text:.100}, a time without a time zone", f"write {in_utc}Z for UTC")
    if at > datetime.now(UTC):
        raise InvalidInput(f"as_of is {text:.100}, a time in the future", "leave as_of out for what is current")
    return AsOf(at=at)
