"""`tenuto server`, as a person starts it."""

from tests.support.command_line import tenuto


def test_a_database_of_others_needs_a_pepper(database: str) -> None:
    refused = tenuto("server", "--port", "0", TENUTO_DATABASE_URL=database)

    assert refused.returncode == 2
    assert "TENUTO_PEPPER is not set" in refused.stderr
    assert "openssl rand -base64 32" in refused.stderr
