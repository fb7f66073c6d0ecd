"""Keys of another system, as a file of it says them: one JSON object a line."""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tenuto.cli.exit_codes import UsageError
from tenuto.model.permissions import check_permissions

MAX_BCRYPT_COST = 14  # as the server checks them
REQUIRED_FIELDS = ("key_prefix", "key_hash", "name", "permissions")
KNOWN = (*REQUIRED_FIELDS, "expires_at", "is_active")
QUICK = 8  # keys with one prefix that are compared at once


@dataclass(frozen=True)
class ImportedKeys:
    """Return the arguments of import_api_key for each active key, and the names of the inactive keys."""

    keys: list[dict[str, Any]]
    inactive: list[str]

    def shared_prefixes(self) -> list[str]:
        """The prefixes of so many keys that the first use of one takes several requests."""
        counts = Counter(one["prefix"] for one in self.keys)
        return [f"{count} keys begin with {prefix!r}" for prefix, count in counts.items() if count > QUICK]


def read_keys(file: Path) -> ImportedKeys:
    """The keys of a file, one JSON object per line."""
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    found = [_read(line, f"line {no} of {file}") for no, line in enumerate(lines, 1) if line.strip()]
    return ImportedKeys(
        [key for key, is_active in found if is_active], [str(key["name"]) for key, is_active in found if not is_active]
    )


def _read(line: str, where: str) -> tuple[dict[str, Any], bool]:
    """A key, and whether it is switched on."""
    try:
        said = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where} is not JSON: {error}") from error
    missing = [field for field in REQUIRED_FIELDS if not isinstance(said, dict) or field not in said]
    if missing:
        raise UsageError(f'{where} has no {missing[0]}; write {{"key_prefix": …, "key_hash": "$2b$…", "name": …, …}}')
    if unknown := [field for field in said if field not in KNOWN]:
        known = ", ".join(KNOWN)
        raise UsageError(
            f"{where} has the field {unknown[0]!r}, which is not known: it might matter; write only {known}"
        )
    is_active = said.get("is_active", True)
    if not isinstance(is_active, bool):
        raise UsageError(f"{where} has is_active {is_active!r}; write true or false")
    cost = str(said["key_hash"])[4:6]
    if cost.isdigit() and int(cost) > MAX_BCRYPT_COST:
        raise UsageError(
            f"{where} has a bcrypt hash of cost {cost}, too slow to check; at most {MAX_BCRYPT_COST} is accepted"
        )
    permissions = said["permissions"]
    if not isinstance(permissions, list):
        raise UsageError(f'{where} has the permissions {permissions!r}; write a list of ours: ["runs:read", "tasks:*"]')
    check_permissions(map(str, permissions))
    key = {
        "prefix": said["key_prefix"],
        "bcrypt": said["key_hash"],
        "name": said["name"],
        "permissions": permissions,
        "expires_at": _moment(said.get("expires_at"), where),
    }
    return key, is_active


def _moment(text: Any, where: str) -> datetime | None:
    """A time without a zone is UTC, as the other system meant it."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise UsageError(f"{where} expires at {text!r}; write 2026-01-31T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
