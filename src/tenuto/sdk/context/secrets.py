"""The secrets of a job: `ctx.secrets["crm-token"]`."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import cast

from tenuto.model.errors import InvalidInput, TenutoError
from tenuto.model.json import JsonObject
from tenuto.model.text import hide
from tenuto.sdk.secret_providers import SecretProvider, current_provider

NAME = re.compile(r"[a-z][a-z0-9_-]{0,99}")
NAME_RULE = "write 1 to 100 of the characters a-z, 0-9, _ and -, beginning with a letter"


class Secrets:
    """The secrets that a job lists, by name. Errors and log lines of the attempt show `***` instead of the values."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> str:
        if name not in self._values:
            listed = f"the job lists {', '.join(self._values)}" if self._values else "the task has no job with secrets"
            raise InvalidInput(f"secret {name!r:.120} is not listed: {listed}", "add it to `secrets` of the job")
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<secrets {', '.join(self._values)}>" if self._values else "<no secrets>"


NO_SECRETS = Secrets({})


def listed_secrets(input: str | None) -> list[str]:
    """Return the names of the secrets that a job lists. They are in the input of its task."""
    facts = cast("dict[str, JsonObject]", json.loads(input or "{}"))
    return cast("list[str]", facts.get("job", {}).get("secrets") or [])


def read_secrets(names: list[str]) -> Secrets:
    """Read these secrets from the provider of this process. Raises InvalidInput if a secret is missing."""
    if not names:
        return NO_SECRETS
    provider = current_provider()
    return Secrets({name: _read(provider, name) for name in names})


def _read(provider: SecretProvider, name: str) -> str:
    if not NAME.fullmatch(name):
        raise InvalidInput(f"{name!r:.120} is not the name of a secret", NAME_RULE)
    try:
        value = provider.get(name)
    except TenutoError as error:
        raise type(error)(f"secret {name} cannot be read: {error.message}", error.hint) from error
    except Exception as error:  # its text is not shown, because it may contain a secret
        raise InvalidInput(
            f"secret {name} cannot be read: {type(error).__name__}", f"look at {provider.where(name)}"
        ) from None
    if not value:
        raise InvalidInput(f"secret {name} is not set", f"set {provider.where(name)}")
    hide(value)
    return value
