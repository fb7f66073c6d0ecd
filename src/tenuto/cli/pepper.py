"""The secret that the hashes of keys are made with: from the environment, or a file beside our own database."""

import os
from collections.abc import Mapping

from tenuto.cli.problems import WrongUse
from tenuto.cli.settings import Settings
from tenuto.model.keys import Peppers, make_pepper, read_peppers


def find_peppers(settings: Settings, environment: Mapping[str, str] = os.environ) -> Peppers:
    """TENUTO_PEPPER, else `pepper` in TENUTO_HOME, made when first needed; another database needs the variable."""
    found = peppers_if_any(settings, environment)
    if found is None:
        raise WrongUse(
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
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(make_pepper())
    except FileExistsError:
        pass
    return read_peppers(path.read_text())
