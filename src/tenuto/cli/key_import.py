"""Reads the API keys of another system from a file: one JSON object per line."""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tenuto.cli.exit_codes import UsageError
from tenuto.model.json import Json, JsonObject
from tenuto.model.keys import MAX_BCRYPT_COST
from tenuto.model.permissions import EVERYTHING, check_permissions

REQUIRED_FIELDS = ("key_prefix", "key_hash", "name", "permissions")
KNOWN = (*REQUIRED_FIELDS, "expires_at", "is_active")
THINGS = {"runs": "runs", "tasks": "tasks", "rundata": "data", "run_data": "data"}  # Foreman's and Tenuto's names
ACCESS = {"read": "read", "create": "write", "update": "write", "write": "write", "delete": "write", "*": "*"}
QUICK = 8  # on first use, a key is compared with up to this many keys of the same prefix per request


@dataclass(frozen=True)
class KeyToImport:
    """One API key of another system, with its bcrypt hash."""

    prefix: str
    bcrypt: str
    name: str
    permissions: list[str]
    expires_at: datetime | None


@dataclass(frozen=True)
class ImportedKeys:
    """The active keys of a file, and the names of its inactive keys."""

    keys: list[KeyToImport]
    inactive: list[str]

    def shared_prefixes(self) -> list[str]:
        """Returns a warning per prefix that many keys share: the first use of such a key takes several requests."""
        counts = Counter(key.prefix for key in self.keys)
        return [f"{count} keys begin with {prefix!r}" for prefix, count in counts.items() if count > QUICK]


def read_keys(file: Path) -> ImportedKeys:
    """Reads the keys of a file, one JSON object per line."""
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    entries = [_read(line, f"line {no} of {file}") for no, line in enumerate(lines, 1) if line.strip()]
    return ImportedKeys(
        [key for key, is_active in entries if is_active],
        [key.name for key, is_active in entries if not is_active],
    )


def _read(line: str, where: str) -> tuple[KeyToImport, bool]:
    """Returns one key, and whether it is active."""
    try:
        fields: Json = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where} is not JSON: {error}") from error
    missing = [field for field in REQUIRED_FIELDS if not isinstance(fields, dict) or field not in fields]
    if missing or not isinstance(fields, dict):
        raise UsageError(f'{where} has no {missing[0]}; write {{"key_prefix": …, "key_hash": "$2b$…", "name": …, …}}')
    if unknown := [field for field in fields if field not in KNOWN]:
        known = ", ".join(KNOWN)
        raise UsageError(f"{where} has the field {unknown[0]!r}, which is unknown; write only {known}")
    is_active = fields.get("is_active", True)
    if not isinstance(is_active, bool):
        raise UsageError(f"{where} has is_active {is_active!r}; write true or false")
    cost = str(fields["key_hash"])[4:6]
    if cost.isdigit() and int(cost) > MAX_BCRYPT_COST:
        raise UsageError(
            f"{where} has a bcrypt hash with cost {cost}, which is too slow to check; the maximum is {MAX_BCRYPT_COST}"
        )
    permissions = _permissions(fields["permissions"], where)
    check_permissions(permissions)
    key = KeyToImport(
        prefix=_text(fields, "key_prefix", where),
        bcrypt=_text(fields, "key_hash", where),
        name=_text(fields, "name", where),
        permissions=permissions,
        expires_at=_moment(fields.get("expires_at"), where),
    )
    return key, is_active


def _permissions(value: Json, where: str) -> list[str]:
    """Returns the permissions as a list. They can be written as a list, or as flags: `{"runs:create": true}`."""
    if isinstance(value, list):
        return [str(permission) for permission in value]
    cure = 'write a list of Tenuto permissions: ["runs:read", "tasks:*"]'
    if not isinstance(value, dict):
        raise UsageError(f"{where} has the permissions {value!r}; {cure}")
    mapped = {flag: _permission(flag) for flag in value}
    unknown = [flag for flag, set in value.items() if mapped[flag] is None or not isinstance(set, bool)]
    if unknown:
        raise UsageError(f"{where} has permissions that Tenuto does not have: {', '.join(unknown)}; {cure}")
    return sorted({permission for flag, permission in mapped.items() if permission and value[flag]})


def _permission(flag: str) -> str | None:
    """Returns the Tenuto permission for a flag of Foreman, such as `runs:create`; None if there is none."""
    if flag == EVERYTHING:
        return flag
    thing, _, access = flag.partition(":")
    if thing not in THINGS or access not in ACCESS:
        return None
    return "runs:delete" if flag == "runs:delete" else f"{THINGS[thing]}:{ACCESS[access]}"


def _text(fields: JsonObject, field: str, where: str) -> str:
    value = fields[field]
    if not isinstance(value, str):
        raise UsageError(f"{where} has {field} {value!r}; write a text")
    return value


def _moment(text: Json, where: str) -> datetime | None:
    """Parses a time. A time without a timezone is in UTC."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        raise UsageError(f"{where} expires at {text!r}; write 2026-01-31T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
