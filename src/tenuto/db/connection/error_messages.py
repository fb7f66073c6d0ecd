"""Converts errors of Postgres to messages of one line for operators."""

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from tenuto.db.connection.errors import BadAddress, DatabaseProblem, MissingRight, Unreachable

NOT_INSTALLED = (errors.UndefinedFunction, errors.UndefinedTable, errors.UndefinedColumn, errors.InvalidSchemaName)


@contextmanager
def explained() -> Generator[None]:
    """Convert all driver errors inside the block. Used around calls that a user waits for."""
    try:
        yield
    except NOT_INSTALLED as error:
        raise DatabaseProblem(
            f"the database schema is older than this Tenuto ({error.diag.message_primary}); run `tenuto db migrate`"
        ) from error
    except errors.InsufficientPrivilege as error:
        raise MissingRight(
            f"{error.diag.message_primary}; grant this login a role with that right, such as tenuto_worker"
        ) from error
    except psycopg.ProgrammingError as error:
        if error.sqlstate is None:  # the address could not be parsed, so nothing was sent
            raise BadAddress(f"the address of the database is invalid: {str(error).strip()}") from error
        raise DatabaseProblem(f"Postgres refused: {str(error).strip().splitlines()[0]}") from error
    except psycopg.OperationalError as error:
        raise Unreachable(f"the connection to the database broke: {str(error).strip().splitlines()[0]}") from error
    except psycopg.Error as error:
        raise DatabaseProblem(f"Postgres refused: {str(error).strip().splitlines()[0]}") from error
