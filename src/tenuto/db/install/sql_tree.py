"""The SQL files of an installation, read and checked before any of them runs."""

import re
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile

from tenuto.db.connection.errors import BrokenMigrations

CONTEXTS = (
    "shared", "outbox", "identity", "workers", "deploys", "datasets", "runs", "reactions", "monitoring", "compat",
)  # fmt: skip

# The interface of a public function: name, parameters, result.
HEAD = re.compile(r"create or replace (?:function|procedure) (tenuto\.[a-z]\w*\(.*?)\s+language\s", re.DOTALL)
SHAPE = re.compile(r"^create (?:table|type) (tenuto\.\w+)(.*?)(?=^  constraint|^\)|\Z)", re.DOTALL | re.MULTILINE)
TYPES = re.compile(r"\btenuto\.\w+")
GRANTS = ("grants.sql", "policies.sql")  # first privileges, then row security
MIGRATION_NAME = re.compile(r"(\d{4})_([a-z]+)_\w+\.sql")


@dataclass(frozen=True)
class Migration:
    """One numbered, forward-only change of tables."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class ObjectFile:
    """One function or view, named after its file."""

    path: str
    text: str

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1].removesuffix(".sql")

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
    tables: str = ""  # the schema after all migrations

    def fingerprint(self, *, test: bool) -> str:
        """Return a hash over all files that are applied again when any of them changes."""
        digest = sha256(repr((self.grants, test)).encode())
        for file in (*self.objects, *(self.testing if test else ())):
            digest.update(repr((file.path, file.text)).encode())
        return digest.hexdigest()

    @property
    def interface(self) -> str:
        """Return a hash over what processes call: parameters and results of the public functions, and the columns of
        their types. Code and database only work together if this matches."""
        heads = {" ".join(head.split()) for file in self.objects for head in HEAD.findall(file.text)}
        used = {name for head in heads for name in TYPES.findall(head)}
        shapes = {f"{name}{' '.join(columns.split())}" for name, columns in SHAPE.findall(self.tables) if name in used}
        return sha256(repr((sorted(heads), sorted(shapes))).encode()).hexdigest()

    @property
    def latest(self) -> int:
        return len(self.migrations)


def read_tree(root: Traversable | None = None) -> SqlTree:
    """Read the SQL files, by default those of this package."""
    root = root or files("tenuto") / "sql"
    grants = [root / name for name in GRANTS]
    return SqlTree(
        migrations=_read_migrations(root / "migrations"),
        objects=tuple(file for context in CONTEXTS for file in _read_folder(root, context)),
        testing=tuple(_read_folder(root, "testing")),
        grants="\n".join(file.read_text() for file in grants if file.is_file()),
        tables=tables.read_text() if (tables := root / "tables.sql").is_file() else "",
    )


def _read_migrations(folder: Traversable) -> tuple[Migration, ...]:
    migrations = [_read_migration(file) for file in _sql_files(folder)]
    for expected, migration in enumerate(migrations, start=1):
        if migration.number != expected:
            raise BrokenMigrations(
                f"migration {migration.name} should have number {expected:04d}: numbers start at 0001, "
                "without gaps or repeats; rename the file that has not been released"
            )
    return tuple(migrations)


def _read_migration(file: Traversable) -> Migration:
    match = MIGRATION_NAME.fullmatch(file.name)
    if match is None or match[2] not in CONTEXTS:
        raise BrokenMigrations(f"migration {file.name} must be named NNNN_<context>_<change>.sql")
    return Migration(int(match[1]), file.name, file.read_text())


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
