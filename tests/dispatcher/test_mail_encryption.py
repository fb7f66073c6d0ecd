"""E-mail over TLS: passwords and messages go to the server that the certificate names, and to no other."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.dispatcher.test_notices import deliver, to
from tests.support.database.outbox import a_destination, effect, publish
from tests.support.database.tasks import Db
from tests.support.http.certificates import write_certificate
from tests.support.http.mail_server import Encryption, MailReceiver, a_mail_server

HOST = "127.0.0.2"  # a loopback address that is not taken for the machine of the dispatcher
SCHEMES: dict[Encryption, str] = {"starttls": "smtp", "tls": "smtps", "none": "smtp"}


@contextmanager
def sent(
    db: Db, database: str, encryption: Encryption, certificate: Path, user: str = "me:secret@"
) -> Iterator[tuple[MailReceiver, int]]:
    """A message that was delivered, or not, to a server with this certificate."""
    a_destination(db, "ops", "mailto:ops@example.com")
    (one,) = publish(db, to("ops"))
    with a_mail_server(HOST, encryption, certificate) as receiver:
        deliver(
            database,
            TENUTO_SMTP_URL=f"{SCHEMES[encryption]}://{user}{HOST}:{receiver.port}",
            TENUTO_SMTP_FROM="tenuto@here.example",
        )
        yield receiver, one


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The certificate of the server, which this machine trusts."""
    certificate = write_certificate(tmp_path / "server.pem", HOST)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    return certificate


@pytest.mark.parametrize("encryption", ["starttls", "tls"])
def test_a_message_and_its_password_arrive_encrypted(
    db: Db, database: str, trusted: Path, encryption: Encryption
) -> None:
    with sent(db, database, encryption, trusted) as (receiver, one):
        assert effect(db, one)["status"] == "done", effect(db, one)["last_error"]
        assert (receiver.logins, receiver.encrypted) == (["\0me\0secret"], [True])
        assert len(receiver.messages) == 1


@pytest.mark.parametrize("encryption", ["starttls", "tls"])
@pytest.mark.parametrize("host", [HOST, "mail.example"])
def test_a_wrong_certificate_is_refused(
    db: Db, database: str, trusted: Path, tmp_path: Path, host: str, encryption: Encryption,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """One that nobody signed, and a trusted one of another host."""
    other = write_certificate(tmp_path / "other.pem", host)
    if host != HOST:
        monkeypatch.setenv("SSL_CERT_FILE", str(other))

    with sent(db, database, encryption, other) as (receiver, one):
        row = effect(db, one)
        assert (row["status"], row["attempts"]) == ("pending", 1)
        assert "CERTIFICATE_VERIFY_FAILED" in row["last_error"]
        assert (receiver.logins, receiver.messages) == ([], [])


def test_a_password_is_not_sent_to_a_server_that_offers_no_encryption(db: Db, database: str, trusted: Path) -> None:
    with sent(db, database, "none", trusted) as (receiver, one):
        assert "no STARTTLS; the password of TENUTO_SMTP_URL is not sent" in effect(db, one)["last_error"]
        assert (receiver.logins, receiver.messages) == ([], [])


def test_without_a_password_a_server_may_offer_no_encryption(db: Db, database: str, trusted: Path) -> None:
    with sent(db, database, "none", trusted, user="") as (receiver, one):
        assert effect(db, one)["status"] == "done"
        assert len(receiver.messages) == 1
