"""Where secrets come from: the environment of the worker, a folder of files, or a provider of another package. Only
this module, sdk/connect.py and cli/ read the environment."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from tenuto.model.errors import Forbidden, InvalidInput

SETTING = "TENUTO_SECRETS"
PREFIX = "TENUTO_SECRET_"
ENTRY_POINTS = "tenuto.secrets"
MAX_SECRET_BYTES = 64 * 1024


class SecretProvider(Protocol):
    """Finds secrets by name. Called in a thread, before the code of an attempt starts."""

    def get(self, name: str) -> str | None:
        """Return the value of a secret, or None if the secret is not set."""
        ...

    def where(self, name: str) -> str:
        """Return where the secret is set, for error messages."""
        ...


class EnvironmentSecrets:
    """Reads a secret from an environment variable of the worker: `TENUTO_SECRET_`, and then the name of the secret in
    capitals, with `_` instead of `-`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def get(self, name: str) -> str | None:
        return self._environment.get(_variable(name))

    def where(self, name: str) -> str:
        return f"the environment variable {_variable(name)} of the worker"


class FileSecrets:
    """Reads `crm-token` from the file of this name in a folder, as Docker and Kubernetes mount secrets."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> str | None:
        try:
            with (self._folder / name).open("rb") as file:
                content = file.read(MAX_SECRET_BYTES + 1)
        except FileNotFoundError:
            return None
        if len(content) > MAX_SECRET_BYTES:
            raise InvalidInput(f"the file has more than {MAX_SECRET_BYTES:,} bytes")
        return content.decode().removesuffix("\n")

    def where(self, name: str) -> str:
        return f"the file {self._folder / name} on the machine of the worker"


class RefusedSecrets:
    """Refuses every secret, because code in a sandbox is not trusted."""

    def get(self, name: str) -> str | None:
        raise Forbidden(f"untrusted code gets no secrets: {name}", "run the job in a worker without a sandbox")

    def where(self, name: str) -> str:
        return f"nowhere: untrusted code does not get {name}"


_provider: SecretProvider | None = None


def use_provider(provider: SecretProvider | None) -> None:
    """Use this provider in this process; None: use the configured provider."""
    global _provider
    _provider = provider


def current_provider(environment: Mapping[str, str] = os.environ) -> SecretProvider:
    """Return the provider of this process. Raises InvalidInput if the configured provider does not exist."""
    global _provider
    if _provider is None:
        _provider = open_provider(environment.get(SETTING) or "env", environment)
    return _provider


def open_provider(setting: str, environment: Mapping[str, str]) -> SecretProvider:
    """Return the provider of a setting: `env`, `file:FOLDER`, or `NAME` or `NAME:REST` of an installed package."""
    name, _, rest = setting.partition(":")
    if setting == "env":
        return EnvironmentSecrets(environment)
    if name == "file":
        if not rest.startswith("/"):
            raise InvalidInput(f"{SETTING} is {setting!r:.200}", "write the whole path: file:/run/secrets")
        return FileSecrets(Path("/" + rest.lstrip("/")))
    from importlib.metadata import entry_points

    found = [point for point in entry_points(group=ENTRY_POINTS) if point.name == name]
    if not found:
        installed = sorted({"env", "file", *(point.name for point in entry_points(group=ENTRY_POINTS))})
        raise InvalidInput(
            f"{SETTING} is {setting!r:.200}, and no provider {name!r:.100} is installed",
            f"write one of {', '.join(installed)}",
        )
    return found[0].load()(rest)


def _variable(name: str) -> str:
    return PREFIX + name.upper().replace("-", "_")
