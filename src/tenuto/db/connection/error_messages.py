"""What Postgres refuses, as a problem that one line can tell."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from tenuto.db.connection.errors import BadAddress, DatabaseProblem, MissingRight, Unreachable

NOT_INSTALLED = (errors.UndefinedFunction, errors.UndefinedTable, errors.UndefinedColumn, errors.InvalidSchemaName)


@contextmanager
def explained() -> Iterator[None]:
    """Around calls that a person waits for: nothing of the driver gets out."""
    try:
        yield
    except NOT_INSTALLED as error:
        raise DatabaseProblem(
            f"the database lacks what this Tenuto needs ({error.diag.message_primary}); run `tenuto db migrate`"
        ) from error
    except errors.InsufficientPrivilege as error:
        raise MissingRight(
            f"{error.diag.message_primary}; grant this login the role that may, such as tenuto_worker"
        ) from error
    except psycopg.ProgrammingError as error:
        if error.sqlstate is None:  # the address could not be read, so nothing was asked
            raise BadAddress(f"the database's address cannot be used: {str(error).strip()}") from error
        raise DatabaseProblem(f"Postgres refused: {str(error).strip().splitlines()[0]}") from error
    except psycopg.OperationalError as error:
        raise Unreachable(f"the connection to the database broke: {str(error).strip().splitlines()[0]}") from error
    except psycopg.Error as error:
        raise DatabaseProblem(f"Postgres refused: {str(error).strip().splitlines()[0]}") from error
