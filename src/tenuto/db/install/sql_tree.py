"""The SQL files of an installation, read and checked before any of them runs."""

import re
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile

from tenuto.db.connection.errors import BrokenMigrations
from tenuto.db.install.interface import Interface, read_interface

CONTEXTS = (
    "shared", "outbox", "identity", "workers", "deploys", "datasets", "runs", "reactions", "monitoring", "compat",
)  # fmt: skip

SCHEMA = "tenuto"
DATA_SCHEMA = "tenuto_data"  # the rows of datasets that are stored in Postgres; deploys create its tables
COMPAT = "compat"  # each of its folders is a schema of its own
# The files with triggers and privileges first, then row security.
GRANTS = ("triggers.sql", "grants.sql", "revokes.sql", "data_grants.sql", "compat_grants.sql", "policies.sql")
BASELINE = 1  # its number among the migrations
TEXT_OR_COMMENT = re.compile(r"('(?:[^']|'')*')|--[^\n]*")
MIGRATION_NAME = re.compile(r"(\d{4})_([a-z]+)_\w+\.sql")


@dataclass(frozen=True)
class Migration:
    """One numbered, forward-only change of tables. The first one is the baseline: it creates the tables of all
    contexts."""

    number: int
    name: str
    files: tuple[tuple[str, str], ...]  # path and text; only the baseline has several

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.files)

    @cached_property
    def checksum(self) -> str:
        """A hash of the statements; comments and line breaks are not part of it."""
        statements = TEXT_OR_COMMENT.sub(lambda match: match[1] or "", self.text)
        return sha256(" ".join(statements.split()).encode()).hexdigest()


@dataclass(frozen=True)
class ObjectFile:
    """One function, or one view with its triggers, named after its file."""

    path: str
    text: str

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1].removesuffix(".sql")

    @property
    def schema(self) -> str:
        """The schema of the object: files in compat/<schema>/ create objects of that schema."""
        folders = self.path.split("/")[:-1]
        return folders[1] if folders[0] == COMPAT and len(folders) > 1 else SCHEMA

    @property
    def identity(self) -> tuple[str, str]:
        return self.schema, self.name

    @property
    def description(self) -> str | None:
        """The opening comment of the file, as one paragraph."""
        opening = takewhile(lambda line: line.startswith("--"), self.text.splitlines())
        return " ".join(line.removeprefix("--").strip() for line in opening) or None


@dataclass(frozen=True)
class SqlTree:
    """All SQL files of an installation."""

    migrations: tuple[Migration, ...]
    objects: tuple[ObjectFile, ...]
    testing: tuple[ObjectFile, ...]
    grants: str

    @cached_property
    def _fingerprints(self) -> dict[bool, str]:
        return {}

    def fingerprint(self, *, test: bool) -> str:
        """Return a hash over the files of functions, views and grants. If it changes, all of them are applied again."""
        if test not in self._fingerprints:
            digest = sha256(repr((self.grants, test)).encode())
            for file in (*self.objects, *(self.testing if test else ())):
                digest.update(repr((file.path, file.text)).encode())
            self._fingerprints[test] = digest.hexdigest()
        return self._fingerprints[test]

    def digest(self, *, test: bool) -> str:
        """Return a hash over everything that an installation consists of."""
        checksums = [migration.checksum for migration in self.migrations]
        return sha256(repr((self.fingerprint(test=test), checksums)).encode()).hexdigest()

    @cached_property
    def schemas(self) -> tuple[str, ...]:
        """The schemas of the objects, and the schema for rows of datasets."""
        return (SCHEMA, DATA_SCHEMA, *sorted({file.schema for file in self.objects} - {SCHEMA}))

    @cached_property
    def interface(self) -> Interface:
        """The interface: the public functions, which processes call."""
        return read_interface(
            {file.path: file.text for file in self.objects}, [migration.text for migration in self.migrations]
        )

    @property
    def baseline(self) -> Migration:
        return self.migrations[0]

    @property
    def latest(self) -> int:
        return len(self.migrations)


def read_tree(root: Traversable | None = None) -> SqlTree:
    """Read the SQL files, by default those of this package, which are then cached."""
    return _own_tree() if root is None else _read_folders(root)


@cache
def _own_tree() -> SqlTree:
    return _read_folders(files("tenuto") / "sql")


def _read_folders(root: Traversable) -> SqlTree:
    grants = [root / name for name in GRANTS]
    return SqlTree(
        migrations=(_read_baseline(root / "tables"), *_read_migrations(root / "migrations")),
        objects=tuple(file for context in CONTEXTS for file in _read_folder(root, context)),
        testing=tuple(_read_folder(root, "testing")),
        grants="\n".join(file.read_text() for file in grants if file.is_file()),
    )


def _read_baseline(folder: Traversable) -> Migration:
    files = {file.name: file.read_text() for file in _sql_files(folder)}
    if others := sorted(files.keys() - {f"{context}.sql" for context in CONTEXTS}):
        raise BrokenMigrations(f"tables/{others[0]} must be named after a context: {', '.join(CONTEXTS)}")
    names = [f"{context}.sql" for context in CONTEXTS if f"{context}.sql" in files]
    return Migration(BASELINE, f"{BASELINE:04d}_baseline", tuple((f"tables/{name}", files[name]) for name in names))


def _read_migrations(folder: Traversable) -> tuple[Migration, ...]:
    migrations = [_read_migration(file) for file in _sql_files(folder)]
    for expected, migration in enumerate(migrations, start=BASELINE + 1):
        if migration.number != expected:
            raise BrokenMigrations(
                f"migration {migration.name} should have number {expected:04d}: numbers start at {BASELINE + 1:04d} "
                "(0001 is the baseline in tables/), without gaps or repeats; rename the file that has not been released"
            )
    return tuple(migrations)


def _read_migration(file: Traversable) -> Migration:
    match = MIGRATION_NAME.fullmatch(file.name)
    if match is None or match[2] not in CONTEXTS:
        raise BrokenMigrations(f"migration {file.name} must be named NNNN_<context>_<change>.sql")
    return Migration(int(match[1]), file.name, ((f"migrations/{file.name}", file.read_text()),))


def _read_folder(root: Traversable, folder: str) -> list[ObjectFile]:
    """Return the objects of a context and of its topic folders."""
    here = root / folder
    if not here.is_dir():
        return []
    objects = [ObjectFile(f"{folder}/{file.name}", file.read_text()) for file in _sql_files(here)]
    for topic in sorted(file.name for file in here.iterdir() if file.is_dir()):
        objects += _read_folder(root, f"{folder}/{topic}")
    return sorted(objects, key=lambda file: file.name)


def _sql_files(folder: Traversable) -> list[Traversable]:
    if not folder.is_dir():
        return []
    return sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
