"""Finds the pepper, the secret for hashing keys: in the environment, or in a file next to the embedded database."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tenuto.cli.database import Settings
from tenuto.cli.exit_codes import UsageError
from tenuto.model.keys import Peppers, make_pepper, read_peppers
from tenuto.storage.folder import make_private_folder


def find_peppers(settings: Settings, environment: Mapping[str, str] = os.environ) -> Peppers:
    """Returns the peppers in TENUTO_PEPPER. If it is not set and the database is the embedded one, returns those in the
    file `pepper` in TENUTO_HOME, which is created on first use. Otherwise raises UsageError."""
    peppers = peppers_if_any(settings, environment)
    if peppers is None:
        raise UsageError(
            "TENUTO_PEPPER is not set, but keys cannot be checked without it; "
            "set it to the output of `openssl rand -base64 32`, the same for every server of this database"
        )
    return peppers


def peppers_if_any(settings: Settings, environment: Mapping[str, str] = os.environ) -> Peppers | None:
    """Returns the peppers, or None if the database is not the embedded one and TENUTO_PEPPER is not set."""
    if text := environment.get("TENUTO_PEPPER"):
        return read_peppers(text)
    if settings.database_url is not None:
        return None
    path = settings.home / "pepper"
    try:
        make_private_folder(settings.home)
        if not path.exists():
            _make(path)
        text = path.read_text()
    except OSError as error:
        raise UsageError(
            f"the pepper of this database cannot be stored in {path}: {error.strerror}; "
            "make TENUTO_HOME a folder that you can write, or set TENUTO_PEPPER"
        ) from error
    return read_peppers(text)


def _make(path: Path) -> None:
    """Creates the file atomically: if several processes start at once, all of them read the complete pepper of the
    first."""
    descriptor, whole = tempfile.mkstemp(dir=path.parent)  # mkstemp makes it readable only to its owner
    with os.fdopen(descriptor, "w") as file:
        file.write(make_pepper())
    with suppress(FileExistsError):
        os.link(whole, path)
    Path(whole).unlink()
