"""The other pages on a running system: each shows what is there, and its actions do what they say."""

import json

import psycopg
from playwright.sync_api import expect

from tests.support.database.outbox import publish, wear_out
from tests.support.database.tasks import start
from tests.support.waiting import wait_until
from tests.web.conftest import Dashboard, Open, System


def test_a_failed_task_shows_its_attempts_and_is_retried_from_its_page(admin: Dashboard, system: System) -> None:
    system.run("start", "shop.fail", json.dumps("<b>no bank</b>"))
    page = admin.visit("/tasks?type=shop.fail")
    expect(page.get_by_role("table").get_by_text("failed")).to_be_visible()
    page.get_by_role("link", name="shop.fail").click()
    expect(page.get_by_text("Attempt 1", exact=True)).to_be_visible()
    expect(page.get_by_text("<b>no bank</b>").first).to_be_visible()
    expect(page.get_by_text("ValueError").first).to_be_visible()

    page.get_by_role("button", name="Retry from here").click()
    page.get_by_role("dialog").get_by_role("button", name="Retry from here").click()

    expect(page.get_by_text("The run starts again from this task.")).to_be_visible()
    expect(page.get_by_role("tab", name="Tasks")).to_be_visible()


def test_a_paused_queue_explains_its_waiting_task_and_goes_on(admin: Dashboard, system: System) -> None:
    system.run("start", "shop.add", "x=1", "y=2", "--wait")
    page = admin.visit("/queues")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Pause the queue").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    attention = admin.visit("/").get_by_role("region", name="Needs attention")
    expect(attention.get_by_text("The queue default is paused")).to_be_visible()

    system.run("start", "shop.tell", "words=hello")
    page = admin.visit("/tasks?type=shop.tell")
    page.get_by_role("link", name="shop.tell").click()
    expect(page.get_by_role("heading", name="Why is it not running?")).to_be_visible()
    expect(page.get_by_text("paused")).to_be_visible()

    page = admin.visit("/queues")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page = admin.visit("/tasks?type=shop.tell")
    expect(page.get_by_role("table").get_by_text("completed")).to_be_visible()


def test_dead_letters_need_attention_once(admin: Dashboard, system: System, db: psycopg.Connection) -> None:
    with db.transaction():  # the dispatcher sees the effect when it is dead
        (dead,) = publish(db, 1)
        wear_out(db, dead)
    start(db, kind={"type": "nobody.runs"})
    for rule, kind in (("letters", "dead_effects"), ("more letters", "dead_effects"), ("nobody", "no_worker")):
        system.run("alerts", "set", rule, kind, "--seconds", "1")

    def are_firing() -> bool:
        db.execute("update tenuto.alert_rules set due_at = tenuto.now()")
        db.execute("select tenuto.evaluate_alerts()")
        return db.execute("select count(*) from tenuto.alerts where status = 'firing'").fetchall() == [(3,)]

    wait_until(are_firing)

    attention = admin.visit("/").get_by_role("region", name="Needs attention")
    expect(attention.get_by_text("no live worker takes the tasks of queue default")).to_be_visible()
    expect(attention.get_by_text("1 side effect failed for good.")).to_have_count(1)
    expect(attention.get_by_text("dead letter")).to_have_count(0)


def test_workers_schedules_outbox_and_admin_show_what_is_there(admin: Dashboard) -> None:
    page = admin.visit("/workers")
    page.get_by_role("region", name="Workers").get_by_role("link").first.click()
    expect(page.get_by_role("button", name="Drain")).to_be_visible()
    expect(page.get_by_role("heading", name="Sessions")).to_be_visible()

    expect(admin.visit("/schedules").get_by_text("There are no schedules yet.")).to_be_visible()
    expect(admin.visit("/outbox").get_by_text("No side effect matches.")).to_be_visible()
    expect(admin.visit("/admin").get_by_text("you", exact=True)).to_be_visible()
    page = admin.visit("/admin?tab=audit")
    expect(page.get_by_text("login user")).to_be_visible()


def test_dead_workers_and_dispatchers_are_shown_as_dead(db: psycopg.Connection, admin: Dashboard) -> None:
    db.execute("select tenuto.register_worker((select id from tenuto.orgs), 'gone')")
    db.execute("select tenuto.fail_worker((select id from tenuto.orgs), 'gone', 'its process ended')")
    db.execute(
        "insert into tenuto.dispatchers (id, address, port, heartbeat, started_at)"
        " values (gen_random_uuid(), 'gone', 0, now() - interval '61 s', now() - interval '1 h')"
    )

    page = admin.visit("/workers")

    workers = page.get_by_role("region", name="Workers", exact=True)
    row = workers.get_by_role("row").filter(has_text="gone")
    expect(row.get_by_text("dead", exact=True)).to_be_visible()
    expect(workers.get_by_text("healthy", exact=True)).to_have_count(1)
    dispatchers = page.get_by_role("region", name="Dispatchers")
    row = dispatchers.get_by_role("row").filter(has_text="gone")
    expect(row.get_by_text("dead", exact=True)).to_be_visible()
    expect(dispatchers.get_by_text("active", exact=True)).to_have_count(1)
    page.get_by_role("link", name="gone").click()
    expect(page.get_by_text("dead", exact=True).first).to_be_visible()
    expect(admin.visit("/").get_by_text("1 dead", exact=True)).to_be_visible()


def test_a_dead_letter_is_read_in_full_and_delivered_again(
    db: psycopg.Connection, admin: Dashboard, system: System
) -> None:
    body = json.dumps({"destination": "nowhere", "body": {"order": 7}})
    db.execute(
        "insert into tenuto.outbox (org_id, kind, payload, status, available_at, attempts, last_error, created_at)"
        " select id, 'deliver', %s, s.status, now() + interval '1 day', 20, 'no such host', now()"
        " from tenuto.orgs, (values ('dead'), ('pending')) s (status)",
        [body],
    )
    db.commit()
    page = admin.visit("/")
    page.get_by_role("link", name="Look and deliver again").click()
    expect(page).to_have_url(f"{admin.url}/ui/outbox?status=dead")
    page.get_by_label("State").select_option("any")
    effects = page.get_by_role("region", name="Side effects")
    expect(effects.get_by_role("row")).to_have_count(3)
    expect(effects.get_by_role("checkbox", name="Select row")).to_have_count(1)  # only what is dead

    effects.get_by_role("row").filter(has_text="dead").get_by_text("deliver").click()
    expect(page.locator("pre", has_text='"order": 7')).to_be_visible()
    effects.get_by_role("checkbox", name="Select row").check()
    page.get_by_role("button", name="Deliver 1 dead side effect again").click()
    page.get_by_role("button", name="Deliver again").click()
    expect(page.get_by_text("Delivering 1 dead side effect again.")).to_be_visible()
    expect(effects.get_by_text("dead", exact=True)).to_have_count(0)


def test_a_new_key_is_shown_once_and_can_be_revoked(admin: Dashboard) -> None:
    page = admin.visit("/admin?tab=keys")
    page.get_by_role("button", name="Create a key").click()
    page.get_by_label("Name").fill("ci")
    page.get_by_role("button", name="Create the key").click()
    expect(page.get_by_text("The key is shown only now")).to_be_visible()
    shown = page.get_by_role("dialog").get_by_role("button").first.inner_text().split()[0]
    page.get_by_role("button", name="I have copied it").click()

    assert shown.startswith("tn_")
    assert shown not in page.content()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke the key").click()
    expect(page.get_by_text("revoked", exact=True)).to_be_visible()


def test_a_reader_sees_no_admin_page_and_no_actions_at_a_phones_width(system: System, opened: Open) -> None:
    with opened(system.link_for("reader"), width=390) as reader:
        page = reader.visit("/queues")
        page.get_by_role("button", name="Menu").click()
        expect(page.get_by_role("link", name="Workers")).to_be_visible()
        expect(page.get_by_role("link", name="Admin")).to_have_count(0)
        page.get_by_role("link", name="Workers").click()
        page.get_by_role("region", name="Workers").get_by_role("link").first.click()
        expect(page.get_by_role("heading", name="Sessions")).to_be_visible()
        expect(page.get_by_role("button", name="Drain")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
