"""Orgs as SQL returns them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import JsonObject


@dataclass(frozen=True)
class Org:
    """A tenant."""

    id: UUID
    slug: str
    name: str
    settings: JsonObject
    created_at: datetime
