"""What can go wrong on the way to a usable database, each with a message that says what to do."""


class DatabaseProblem(Exception):
    """Something about the database or its server keeps Tenuto from working."""


class Unreachable(DatabaseProblem):
    """The database does not answer, or does not let us in."""


class Away(Unreachable):
    """The server does not accept connections: it is down, starting or full."""


class TimedOut(Unreachable):
    """The database stopped a statement that took too long, or waited too long for others."""


class StatementFailed(Unreachable):
    """A statement failed for lack of a lock, a slot or memory; the connection is as good as before."""


class BadAddress(DatabaseProblem):
    """What should name a database does not."""


class NoBinaries(DatabaseProblem):
    """No Postgres that could be started was found on this machine."""


class WrongMajor(DatabaseProblem):
    """The data folder was made by another major version of Postgres."""


class ServerFailed(DatabaseProblem):
    """The embedded server, or the making of its data folder, failed."""


class NoHome(DatabaseProblem):
    """TENUTO_HOME cannot be made, entered or written."""


class ServerTooOld(DatabaseProblem):
    """The server is older than the oldest Postgres Tenuto supports."""


class MissingRight(DatabaseProblem):
    """The connected role may not do what the installation needs."""


class BrokenMigrations(DatabaseProblem):
    """The migration files do not form one unbroken, unchanged line."""


class NewerSchema(DatabaseProblem):
    """The database was migrated by a newer Tenuto."""


class OtherFunctions(DatabaseProblem):
    """The functions in the database are not those that this Tenuto calls."""


class BrokenObject(DatabaseProblem):
    """A function, view or grants file cannot be applied."""


class NotATestDatabase(DatabaseProblem):
    """A production database may not be turned into a test database."""


class BusyTables(DatabaseProblem):
    """Somebody uses the tables without a pause in which they could be changed."""
