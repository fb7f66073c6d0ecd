"""Declaring tasks: names, options, limits and retries are checked where they are written."""

from typing import Any

import pytest

from tenuto import App, Exponential, Fail, Fixed, Limit, Rate
from tenuto.model.errors import InvalidInput, NotFound, TenutoError


@pytest.fixture
def app() -> App:
    return App("shop")


def test_a_task_is_named_after_its_app_and_function(app: App):
    @app.task
    def add(x: int, y: int) -> int:
        """Adds."""
        return x + y

    @app.task(name="sum", queue="maths")
    async def other() -> None: ...

    assert app.tasks == {"shop.add": add, "shop.sum": other}
    assert (add.runs_in, other.runs_in) == ("thread", "async")
    assert add(1, 2) == 3
    assert add.__doc__ == "Adds."


def test_the_context_is_found_by_name_or_type_and_is_no_argument(app: App):
    from tenuto import Context

    @app.task
    def named(ctx, x: int) -> None: ...

    @app.task
    async def typed(c: Context, x: int) -> None: ...

    @app.task
    def without(x: int) -> None: ...

    assert [named.context, typed.context, without.context] == [True, True, False]
    assert [str(task.signature) for task in (named, typed)] == ["shop.named(x: int)", "shop.typed(x: int)"]


def test_only_what_differs_from_the_defaults_is_sent(app: App):
    @app.task
    def plain() -> None: ...

    @app.task(queue="mail", priority=5, max_attempts=7, timeout="30s", retry=Fixed("10s"), labels=["gpu=1"])
    def full() -> None: ...

    assert plain.kind == {"type": "shop.plain"}
    assert full.kind == {
        "type": "shop.full",
        "queue": "mail",
        "priority": 5,
        "max_attempts": 7,
        "timeout_seconds": 30.0,
        "backoff_seconds": 10.0,
        "labels": ["gpu=1"],
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_attempts": 0}, "max_attempts is 0, not a whole number from 1 to 100"),
        ({"max_attempts": -1}, "max_attempts is -1"),
        ({"max_attempts": 2.5}, "max_attempts is 2.5"),
        ({"max_losses": 0}, "max_losses is 0"),
        ({"timeout": 0}, "timeout is 0; it must be more than 0"),
        ({"timeout": "-3s"}, "timeout is '-3s'; it must be more than 0"),
        ({"timeout": "soon"}, "timeout is 'soon', not a duration"),
        ({"queue": ""}, "queue is '', not a text"),
        ({"priority": "high"}, "priority is 'high'"),
        ({"labels": "gpu"}, "labels is 'gpu', not a list"),
        ({"executor": "gpu"}, "executor is 'gpu', not one of async, thread, process"),
        ({"executor": "async"}, 'executor="async" needs an async function'),
        ({"runtime": "jail"}, "runtime is 'jail', not one of worker, sandbox"),
        ({"runtime": "sandbox", "executor": "thread"}, "a sandbox always is a separate process"),
        ({"runtime": "sandbox", "serializer": "pickle"}, "reading a pickle runs the code in it"),
        ({"cron": "61 * * * *"}, r"cron '61 \* \* \* \*' cannot be read"),
        ({"cron": "0 3 * * *", "timezone": "Mars/Base"}, "timezone 'Mars/Base' is not known"),
        ({"timezone": "UTC"}, "timezone is set without cron"),
        ({"rate": "100"}, "the rate is '100', not a rate"),
        ({"retry": "10s"}, "retry is '10s', not a policy"),
        ({"limit": 5}, "limit"),
        ({"catch_up": "never"}, "catch_up is 'never'"),
        ({"catch_up": "all"}, "catch_up is set without cron"),
        ({"jitter": "5m"}, "jitter is set without cron"),
        ({"attempts_at_most": 3}, "there is no option 'attempts_at_most'; known options are"),
        ({"max_atempts": 3}, r"there is no option 'max_atempts'; did you mean max_attempts\?$"),
        ({"max_retries": 3}, "no option 'max_retries'; write max_attempts=…, which includes the first attempt"),
        ({"bind": True}, "no option 'bind'; leave it out: a function whose first parameter is called ctx"),
        ({"autoretry_for": (OSError,)}, "no option 'autoretry_for'; write retry="),
        ({"time_limit": 30}, "no option 'time_limit'; write timeout="),
        ({"expires": "1h"}, "no option 'expires'; it is an option of a start: tn.start"),
    ],
)
def test_a_wrong_option_is_refused_where_it_is_written(app: App, options: Any, said: str):
    with pytest.raises(InvalidInput, match=f"shop.work: .*{said}|{said}"):

        @app.task(**options)
        def work() -> None: ...


def test_limits_are_positive_whole_numbers():
    for n in (0, -1, 1.5, True, 10**9):
        with pytest.raises(InvalidInput, match="not a whole number from 1 to 1,000,000"):
            Limit(n)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="not a whole number"):
        App("shop").queue_limit("mail", 0)


def test_limits_are_for_the_task_for_each_value_and_for_the_queue(app: App):
    app.queue_limit("mail", 5)

    @app.task(queue="mail", limit=[Limit(3), Limit(2, key="customer")], rate=Rate("100/m", key="country"))
    def send(customer: int, country: str = "de") -> None: ...

    assert send.limits_of((7,), {}) == [
        {"scope": "queue", "key": "mail", "size": 5},
        {"scope": "key", "key": "shop.send", "size": 3},
        {"scope": "key", "key": "shop.send:customer=7", "size": 2},
        {"scope": "rate", "key": "shop.send:country=de", "size": 100, "seconds": 60.0},
    ]
    elsewhere = send.options(queue="other").limits_of((7,), {}) or []
    assert "queue" not in [limit["scope"] for limit in elsewhere]
    assert len(elsewhere) == 3


def test_the_limit_of_a_queue_counts_for_tasks_that_were_declared_before_it(app: App):
    @app.task(queue="mail")
    def send() -> None: ...

    app.queue_limit("mail", 5)

    assert send.limits_of((), {}) == [{"scope": "queue", "key": "mail", "size": 5}]


def test_a_long_value_makes_no_long_key(app: App):
    @app.task(limit=Limit(1, key="text"))
    def read(text: str) -> None: ...

    keys = [limit["key"] for n in (200, 5000, 5001) for limit in read.limits_of(("x" * n,), {}) or []]

    assert max(map(len, keys)) < 300
    assert len(set(keys)) == 3


def test_a_limit_that_names_no_parameter_is_refused(app: App):
    with pytest.raises(
        InvalidInput,
        match=r"shop.send: the key of Limit\(.*'costumer'.*\) is not a parameter; its parameters are customer",
    ):

        @app.task(limit=Limit(1, key="costumer"))
        def send(ctx, customer: int) -> None: ...


def test_a_hint_that_cannot_be_carried_shows_when_the_task_is_checked(app: App):
    @app.task
    def send(to: memoryview) -> None: ...

    @app.task
    def take() -> "Nowhere": ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(InvalidInput, match="values of memoryview cannot be converted to JSON"):
        send.check()
    with pytest.raises(InvalidInput, match="a type hint names 'Nowhere', which its module does not define"):
        take.check()


@pytest.mark.parametrize("hint", [memoryview, list[memoryview], int | memoryview])
def test_a_return_type_that_cannot_be_carried_is_refused_where_the_task_is_declared(app: App, hint: object):
    def take(): ...

    take.__annotations__["return"] = hint
    with pytest.raises(InvalidInput, match=r"shop.take: the result: values of .*memoryview.* cannot be converted"):
        app.task(take)

    assert app.tasks == {}
    assert app.task(serializer="pickle")(take).pickled


def test_the_type_of_the_context_need_not_be_there_when_the_task_runs(app: App):
    @app.task
    def send(ctx: "OnlyForCheckers", to: str) -> str: ...  # type: ignore[name-defined]  # noqa: F821

    assert send.signature.encode(("a",), {}) == '["a"]'


def test_retry_policies_say_how_long_to_wait_or_to_give_up(app: App):
    def by_error(error: BaseException, failures: int) -> Any:
        return {ValueError: Fail, OSError: "5s"}.get(type(error), failures * 10 if failures < 3 else None)

    @app.task(retry=by_error)
    def work() -> None: ...

    @app.task(retry=Exponential("1m", maximum="1d"))
    def slow() -> None: ...

    @app.task(retry=Exponential("4s"))
    def quick() -> None: ...

    assert work.retry_after(ValueError(), 1) == -1
    assert work.retry_after(OSError(), 1) == 5
    assert [work.retry_after(KeyError(), n) for n in (1, 2, 3)] == [10, 20, None]
    assert 0.5 * 64 * 60 <= (slow.retry_after(KeyError(), 7) or 0) <= 1.5 * 64 * 60
    assert (quick.retry_after(KeyError(), 1), quick.kind["backoff_seconds"]) == (None, 4.0)


def test_an_argument_that_can_never_be_read_is_not_tried_again(app: App):
    @app.task
    def work(n: int) -> None: ...

    with pytest.raises(InvalidInput, match=r"'x' is not int; its signature is shop.work\(n: int\)") as caught:
        work.signature.decode('["x"]')
    assert work.retry_after(caught.value, 1) == -1


@pytest.mark.parametrize(
    ("input", "expected"),
    [
        ("[1]", ([1], {})),
        ("1", ([1], {})),
        ('{"n": 1, "text": "a"}', ([], {"n": 1, "text": "a"})),
        ('[{"$slot": 1}, {"$slot": 0}]', ([5, "zero"], {})),
        (None, (["zero", 5], {})),
    ],
)
def test_inputs_come_by_position_by_name_and_from_slots(app: App, input, expected):
    @app.task
    def work(n, text: Any = "") -> None: ...

    slots = '["zero", 5]' if input is None or "slot" in input else None

    assert work.signature.decode(input, slots) == expected


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((), {}, r"missing a required argument: 'n'; its signature is shop.work\(n: int, text: str = 'a'\)"),
        ((1, "a", 2), {}, "too many positional arguments"),
        ((1,), {"txt": "b"}, "there is no parameter 'txt'"),
        ((1,), {"n": 2}, "multiple values for argument 'n'"),
        (
            (1,),
            {"dely": "5s"},
            r"no parameter 'dely' in shop.work\(n: int, text: str = 'a'\); did you mean the option delay\?",
        ),
        (
            (1,),
            {"max_retries": 2},
            "no parameter 'max_retries' in .*; write max_attempts=…, which includes the first attempt",
        ),
    ],
)
def test_arguments_that_do_not_bind_are_refused_with_the_signature(app: App, args, kwargs, said):
    @app.task
    def work(n: int, text: str = "a") -> None: ...

    with pytest.raises(InvalidInput, match=said):
        work.signature.encode(args, kwargs)


def test_the_ways_in_which_other_systems_start_tasks_lead_to_the_client(app: App):
    @app.task
    def work() -> None: ...

    with pytest.raises(AttributeError, match=r"no attribute 'delay'; a client starts it: tn = app.open_sync\(\)"):
        getattr(work, "delay")  # noqa: B009 (a type checker rejects work.delay)
    assert not hasattr(work, "nothing")


def test_an_unknown_task_is_named_with_its_nearest_neighbour(app: App):
    @app.task
    def send() -> None: ...

    assert app.find("send") is app.find("shop.send") is send
    for wrong in ("sendd", "shop.sned", "shp.send"):
        with pytest.raises(NotFound, match=f"app 'shop' has no task '{wrong}'; did you mean 'shop.send'"):
            app.find(wrong)
    for far in ("shop.mail", "report", "shop.s"):
        with pytest.raises(NotFound, match=f"has no task '{far}'; known: "):
            app.find(far)


def test_two_tasks_of_one_name_generators_and_odd_names_are_refused(app: App):
    @app.task(name="one")
    def first() -> None: ...

    for name, function in (("one", lambda: 1), ("two", (lambda: (yield))), ("bad name", lambda: 1)):
        with pytest.raises(TenutoError, match=r"two tasks shop.one|is a generator|is not the name of a task"):
            app.task(name=name)(function)
    with pytest.raises(InvalidInput, match="not a name"):
        App("my app")


def test_a_schedule_is_for_tasks_that_need_no_arguments(app: App):
    @app.task(cron="0 3 * * *", timezone="Europe/Berlin")
    def nightly(full: bool = False) -> None: ...

    assert app.schedules() == [nightly]
    with pytest.raises(InvalidInput, match="a schedule passes no arguments, but the task needs day"):

        @app.task(cron="@daily")
        def report(day: str) -> None: ...
