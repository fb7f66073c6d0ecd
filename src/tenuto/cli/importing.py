"""Keys of another system, as a file of it says them: one JSON object a line."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tenuto.cli.problems import WrongUse
from tenuto.model.permissions import check_permissions

MOST_COST = 14  # as the server checks them
NEEDED = ("key_prefix", "key_hash", "name", "permissions")


def read_keys(file: Path) -> list[dict[str, Any]]:
    """What import_api_key takes, for every line."""
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"{file} cannot be read: {error}") from error
    return [_read(line, f"line {no} of {file}") for no, line in enumerate(lines, 1) if line.strip()]


def _read(line: str, where: str) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError as error:
        raise WrongUse(f"{where} is not JSON: {error}") from error
    missing = [field for field in NEEDED if not isinstance(said, dict) or field not in said]
    if missing:
        raise WrongUse(f'{where} has no {missing[0]}; write {{"key_prefix": …, "key_hash": "$2b$…", "name": …, …}}')
    cost = str(said["key_hash"])[4:6]
    if cost.isdigit() and int(cost) > MOST_COST:
        raise WrongUse(f"{where} has a bcrypt hash of cost {cost}, too slow to check; at most {MOST_COST} is accepted")
    permissions = said["permissions"]
    if not isinstance(permissions, list):
        raise WrongUse(f'{where} has the permissions {permissions!r}; write a list of ours: ["runs:read", "tasks:*"]')
    check_permissions(map(str, permissions))
    return {
        "prefix": said["key_prefix"],
        "bcrypt": said["key_hash"],
        "name": said["name"],
        "permissions": permissions,
        "expires_at": _moment(said.get("expires_at"), where),
    }


def _moment(text: Any, where: str) -> datetime | None:
    """A time without a zone is UTC, as the other system meant it."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise WrongUse(f"{where} expires at {text!r}; write 2026-01-31T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
