"""The secret that the hashes of keys are made with: from the environment, or a file beside our own database."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.settings import Settings
from tenuto.model.keys import Peppers, make_pepper, read_peppers
from tenuto.storage.folder import make_private_folder


def find_peppers(settings: Settings, environment: Mapping[str, str] = os.environ) -> Peppers:
    """TENUTO_PEPPER, else `pepper` in TENUTO_HOME, made when first needed; another database needs the variable."""
    found = peppers_if_any(settings, environment)
    if found is None:
        raise UsageError(
            "TENUTO_PEPPER is not set, and keys are checked with it; "
            "set it to what `openssl rand -base64 32` prints, the same for every server of this database"
        )
    return found


def peppers_if_any(settings: Settings, environment: Mapping[str, str] = os.environ) -> Peppers | None:
    """The same; None where another database has none."""
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
            f"the pepper of this database cannot be kept in {path}: {error.strerror}; "
            "make TENUTO_HOME a folder that you can write, or set TENUTO_PEPPER"
        ) from error
    return read_peppers(text)


def _make(path: Path) -> None:
    """In one step: of several processes that start at once all read the pepper of the first, and read it whole."""
    descriptor, whole = tempfile.mkstemp(dir=path.parent)  # which makes it for its owner alone
    with os.fdopen(descriptor, "w") as file:
        file.write(make_pepper())
    with suppress(FileExistsError):
        os.link(whole, path)
    Path(whole).unlink()
