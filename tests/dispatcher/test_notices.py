"""Effects by e-mail and to commands: what the receiver gets, what is refused, and what a bad receiver delays."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.db.connection.pool import open_pool
from tenuto.dispatcher import mail, notify_commands
from tenuto.dispatcher.deliveries import Deliverer, NotifySettings, read_notify_settings
from tenuto.dispatcher.effects import HANDLER_SECONDS, LEASE, EffectRunner
from tenuto.model.deliveries import check_destination_url
from tenuto.model.errors import InvalidInput
from tenuto.model.keys import Peppers
from tests.support.database.outbox import a_destination, effect, publish, wear_out
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.http.mail_server import MailReceiver, a_mail_server
from tests.support.waiting import wait_until

ALERT = {"alert": "01", "rule": "dead", "key": "", "status": "firing", "summary": "7 dead letters ✓", "details": {}}


@pytest.fixture
def receiver() -> Iterator[MailReceiver]:
    with a_mail_server() as server:
        yield server


def deliver(database: str, **environment: str) -> None:
    async def story() -> None:
        deliverer = Deliverer(Peppers((b"n" * 32,)), notify=read_notify_settings(environment))
        async with open_pool(database, role="tenuto_dispatcher") as pool:
            runner = EffectRunner(pool, {"deliver": deliverer}, owner="me")
            await runner.take(10)
            await runner.finish()
        await deliverer.close()

    asyncio.run(story())


def deliver_mail(database: str, receiver: MailReceiver, user: str = "") -> None:
    deliver(database, TENUTO_SMTP_URL=f"smtp://{user}127.0.0.1:{receiver.port}", TENUTO_SMTP_FROM="tenuto@here.example")


def to(destination: str, body: object = ALERT) -> dict[str, object]:
    return {"destination": destination, "body": body}


def a_script(folder: Path, text: str) -> str:
    path = folder / "notify"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return str(path)


def test_an_alert_arrives_as_one_message(db: Db, database: str, receiver: MailReceiver) -> None:
    a_destination(db, "ops", "mailto:ops@example.com")
    (one,) = publish(db, to("ops"))

    deliver_mail(database, receiver, user="me:p%40ss@")

    assert effect(db, one)["status"] == "done", effect(db, one)["last_error"]
    (message,) = receiver.messages
    assert (message["Subject"], message["To"]) == ("[firing] dead: 7 dead letters ✓", "ops@example.com")
    assert message["From"] == "tenuto@here.example"
    assert message["Message-ID"] == f"<{one}.{DEFAULT_ORG}@here.example>"
    text = message.get_content().replace("\r\n", "\n")
    assert json.loads(text.partition("\n\n")[2]) == ALERT
    assert receiver.logins == ["\0me\0p@ss"]


def test_text_of_an_org_cannot_become_a_header_or_a_command(db: Db, database: str, receiver: MailReceiver) -> None:
    a_destination(db, "a\r\nBcc: b@example.com", "mailto:ops@example.com")
    bodies = [
        {**ALERT, "summary": "x\r\nBcc: c@example.com\u2028To: d@example.com"},
        "\r\n.\r\nRCPT TO:<e@example.com>",
    ]
    first, second = publish(db, *(to("a\r\nBcc: b@example.com", body) for body in bodies))

    deliver_mail(database, receiver)

    assert [effect(db, one)["status"] for one in (first, second)] == ["done", "done"]
    assert len(receiver.messages) == 2
    for message in receiver.messages:
        assert message["Bcc"] is None
        assert message.get_all("To") == ["ops@example.com"]
    assert {line for line in receiver.commands if line.startswith("RCPT")} == {"RCPT TO:<ops@example.com>"}


def test_a_long_body_is_cut(db: Db, database: str, receiver: MailReceiver) -> None:
    a_destination(db, "ops", "mailto:ops@example.com")
    publish(db, to("ops", {"text": "é" * mail.MAX_BODY_BYTES}))

    deliver_mail(database, receiver)

    text = receiver.messages[0].get_content()
    assert len(text.encode()) < mail.MAX_BODY_BYTES + 100
    assert "… cut: the body has" in text


def test_a_refused_address_fails_alone(db: Db, database: str, receiver: MailReceiver) -> None:
    a_destination(db, "gone", "mailto:refused@example.com")
    a_destination(db, "ops", "mailto:ops@example.com")
    bad, good = publish(db, to("gone"), to("ops"))

    deliver_mail(database, receiver)

    assert effect(db, good)["status"] == "done"
    row = effect(db, bad)
    assert (row["status"], row["attempts"]) == ("pending", 1)
    assert row["last_error"] == "MailFailed: the mail server refused refused@example.com: 550 no such user"


def test_a_mail_server_that_hangs_delays_only_mail(
    db: Db, database: str, receiver: MailReceiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "SMTP_SECONDS", 0.2)
    receiver.released.clear()
    a_destination(db, "ops", "mailto:ops@example.com")
    a_destination(db, "page", "command:page")
    slow, quick = publish(db, to("ops"), to("page"))
    script = a_script(tmp_path, "exec cat")

    deliver(
        database,
        TENUTO_SMTP_URL=f"smtp://127.0.0.1:{receiver.port}",
        TENUTO_SMTP_FROM="tenuto@here.example",
        TENUTO_NOTIFY_COMMANDS=f"page={script}",
    )

    assert effect(db, quick)["status"] == "done"
    row = effect(db, slow)
    assert (row["status"], row["last_error"].startswith("MailFailed: ")) == ("pending", True)


def test_without_a_mail_server_the_effect_becomes_a_dead_letter(db: Db, database: str) -> None:
    a_destination(db, "ops", "mailto:ops@example.com")
    (one,) = publish(db, to("ops"))
    wear_out(db, one, times=19)
    db.execute("update tenuto.outbox set available_at = tenuto.now()")

    deliver(database)

    row = effect(db, one)
    assert row["status"] == "dead"
    assert "TENUTO_SMTP_URL and TENUTO_SMTP_FROM are not set" in row["last_error"]


def test_a_mail_server_that_is_away_is_the_error_of_the_effect(db: Db, database: str) -> None:
    with a_mail_server() as gone:
        pass
    a_destination(db, "ops", "mailto:ops@example.com")
    (one,) = publish(db, to("ops"))

    deliver_mail(database, gone)

    assert "no connection to the mail server" in effect(db, one)["last_error"]


def test_a_command_gets_the_body_and_nothing_of_the_dispatcher(
    db: Db, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENUTO_PEPPER", "secret")
    a_destination(db, "pager", "command:page")
    (one,) = publish(db, to("pager"))

    deliver(database, TENUTO_NOTIFY_COMMANDS=f"page={a_script(tmp_path, f'cat > {tmp_path}/in; env > {tmp_path}/env')}")

    assert effect(db, one)["status"] == "done", effect(db, one)["last_error"]
    assert json.loads((tmp_path / "in").read_text()) == ALERT
    variables = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines())
    assert variables["TENUTO_EFFECT"] == str(one)
    assert variables["TENUTO_ORG"] == str(DEFAULT_ORG)
    assert variables["TENUTO_DESTINATION"] == "pager"
    assert set(variables) <= {
        "PATH", "LANG", "TENUTO_EFFECT", "TENUTO_ORG", "TENUTO_DESTINATION", "PWD", "SHLVL", "_", "OLDPWD",
    }  # fmt: skip


def test_a_command_that_fails_is_run_again(db: Db, database: str, tmp_path: Path) -> None:
    a_destination(db, "pager", "command:page")
    (one,) = publish(db, to("pager"))
    script = a_script(tmp_path, f"echo x >> {tmp_path}/runs; test $(wc -l < {tmp_path}/runs) = 2 || exit 3")
    deliver(database, TENUTO_NOTIFY_COMMANDS=f"page={script}")
    row = effect(db, one)
    assert (row["status"], row["last_error"]) == ("pending", "CommandFailed: command page ended with exit status 3")

    db.execute("update tenuto.outbox set available_at = now()")
    deliver(database, TENUTO_NOTIFY_COMMANDS=f"page={script}")

    assert effect(db, one)["status"] == "done"


def test_a_command_that_hangs_is_killed_with_its_children(
    db: Db, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify_commands, "COMMAND_SECONDS", 0.5)
    a_destination(db, "pager", "command:page")
    (one,) = publish(db, to("pager"))
    script = a_script(tmp_path, f"sleep 600 & echo $! > {tmp_path}/child; wait")

    deliver(database, TENUTO_NOTIFY_COMMANDS=f"page={script}")

    assert "did not end within 0.5 s, and was killed" in effect(db, one)["last_error"]
    child = Path("/proc") / (tmp_path / "child").read_text().strip()
    wait_until(lambda: not child.exists() or " Z " in (child / "stat").read_text())


@pytest.mark.parametrize("commands", ["", "other=/bin/true"])
def test_only_declared_commands_run(db: Db, database: str, commands: str) -> None:
    a_destination(db, "pager", "command:page")
    (one,) = publish(db, to("pager"))

    deliver(database, TENUTO_NOTIFY_COMMANDS=commands)

    error = effect(db, one)["last_error"]
    assert error.endswith("TENUTO_NOTIFY_COMMANDS in the dispatcher's environment declares no command 'page'")


def test_a_command_whose_file_is_missing_says_so(db: Db, database: str) -> None:
    a_destination(db, "pager", "command:page")
    (one,) = publish(db, to("pager"))

    deliver(database, TENUTO_NOTIFY_COMMANDS="page=/nowhere/page")

    assert effect(db, one)["last_error"].endswith("command page cannot be started: No such file or directory")


@pytest.mark.parametrize(
    "environment",
    [
        {"TENUTO_SMTP_URL": "smtp://mail.example"},
        {"TENUTO_SMTP_FROM": "a@mail.example"},
        {"TENUTO_SMTP_URL": "https://mail.example", "TENUTO_SMTP_FROM": "a@mail.example"},
        {"TENUTO_SMTP_URL": "smtp://u:hidden@mail.example:x", "TENUTO_SMTP_FROM": "a@mail.example"},
        {"TENUTO_SMTP_URL": "smtp://mail.example", "TENUTO_SMTP_FROM": "a@mail.example\nBcc: b@mail.example"},
        {"TENUTO_NOTIFY_COMMANDS": "page"},
        {"TENUTO_NOTIFY_COMMANDS": "page=bin/page"},
        {"TENUTO_NOTIFY_COMMANDS": "page=/a,page=/b"},
    ],
)
def test_a_wrong_setting_is_refused(environment: dict[str, str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_notify_settings(environment)
    assert "hidden" not in str(refused.value)


def test_settings_are_read() -> None:
    found = read_notify_settings(
        {
            "TENUTO_SMTP_URL": "smtps://me:secret@mail.example",
            "TENUTO_SMTP_FROM": "a@mail.example",
            "TENUTO_NOTIFY_COMMANDS": "page=/bin/page, chat=/bin/chat",
        }
    )

    server = mail.MailServer("mail.example", 465, "a@mail.example", tls=True, user="me", password="secret")
    assert found == NotifySettings(server, {"page": "/bin/page", "chat": "/bin/chat"})
    assert "secret" not in repr(found)
    assert max(mail.MAIL_SECONDS, notify_commands.COMMAND_SECONDS) < HANDLER_SECONDS < LEASE.total_seconds()


WRONG = [
    "mailto:ops",
    "mailto:ops@example.com?bcc=x@example.com",
    "mailto:a@example.com,b@example.com",
    "mailto:a@example.com\r\nRCPT TO:<b@example.com>",
    "mailto:a@example.com\n",
    "mailto:-@",
    "command:",
    "command:/bin/sh",
    "command:../sh",
    "command:page --now",
]


@pytest.mark.parametrize("url", WRONG)
def test_a_wrong_address_or_command_is_refused(db: Db, url: str) -> None:
    with pytest.raises(InvalidInput):
        check_destination_url(url)
    with pytest.raises(InvalidInput):
        a_destination(db, url=url)


@pytest.mark.parametrize("url", ["mailto:ops@example.com", "command:page"])
def test_lineage_events_are_not_sent_as_notices(db: Db, url: str) -> None:
    check_destination_url(url)
    with pytest.raises(InvalidInput):
        check_destination_url(url, openlineage=True)
    with pytest.raises(InvalidInput):
        call(db, "put_destination", org_id=DEFAULT_ORG, name="x", url=url, secret=b"", openlineage=True)
