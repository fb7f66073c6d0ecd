"""chain and group: outputs bind to inputs by position, left to right, and their types must match."""

import pytest

from tenuto import App, chain, group
from tenuto.model.errors import InvalidInput

app = App("calc")


@app.task
def add(x: int, y: int) -> int:
    return x + y


@app.task
def split(n: int) -> tuple[int, str]:
    return n, "ab"


@app.task
def repeat(n: int, text: str, *, times: int = 1) -> str:
    return n * text * times


@app.task
def shout(text: str) -> str:
    return text.upper()


@app.task
def half(x: float) -> float:
    return x / 2


@app.task
def loose(x):
    return x


@app.task
def note() -> None: ...


def run_it(journey, composition, *args):
    async def steps(tn):
        run = await tn.start(composition, *args)
        await tn.work()
        return await run.result(), len(await run.tasks())

    return journey(app, steps)


def test_inputs_are_dealt_left_to_right_and_outputs_bind_by_position(journey):
    assert run_it(journey, chain(group(add, add), add), 1, 2, 3, 4) == (10, 3)


def test_a_tuple_gives_each_of_its_places(journey):
    assert run_it(journey, chain(split, repeat, shout), 3) == ("ABABAB", 3)


def test_a_group_gives_the_outputs_of_all_its_parts(journey):
    assert run_it(journey, group(split, chain(add, half), note), 5, 1, 2) == ([5, "ab", 1.5], 4)


def test_parts_nest_and_are_used_many_times(journey):
    pair = group(add, add)

    assert run_it(journey, chain(group(pair, pair), group(add, add), add, loose), *range(8)) == (28, 8)


def test_order_holds_where_no_data_flows(journey):
    async def steps(tn):
        run = await tn.start(chain(note, note, note))
        ran = [task.status for task in await run.tasks()]
        await tn.work()
        return ran, await run.wait()

    assert journey(app, steps) == (["queued", "pending", "pending"], "completed")


def test_many_compositions_start_in_one_call_all_or_none(journey):
    async def steps(tn):
        runs = await tn.start([chain(split, repeat).bind(n) for n in range(3)])
        await tn.work()
        with pytest.raises(InvalidInput):
            await tn.start([chain(split, repeat).bind(1), chain(split, repeat).bind("x")])
        assert await tn.work() == 0
        return [await run.result() for run in runs]

    assert journey(app, steps) == ["", "ab", "abab"]


@pytest.mark.parametrize(
    ("compose", "said"),
    [
        (
            lambda: chain(add, shout),
            r"chain: the result of calc.add is int, but text of calc.shout takes str; change one",
        ),
        (
            lambda: chain(split, group(half, half)),
            r"chain: place 1 of calc.split is str, but x of calc.half takes float",
        ),
        (
            lambda: chain(add, add),
            r"chain: the outputs of calc.add are int \(calc.add\), but the inputs of calc.add are "
            r"x: int \(calc.add\), y: int \(calc.add\)",
        ),
        (lambda: chain(note, shout), r"the outputs of calc.note are none, but the inputs of calc.shout are text: str"),
        (lambda: chain(), r"chain\(\) has no tasks"),
        (lambda: group(add, print), "group accepts tasks, chains and groups, not <built-in"),  # type: ignore[arg-type]
        (lambda: chain(add, half).bind(1), r"takes 2 inputs, not 1; they are x: int \(calc.add\), y: int"),
        (lambda: chain(add, half).bind(1, "b"), r"calc.add: y: 'b' is not int"),
    ],
)
def test_what_does_not_fit_is_refused_at_composition_naming_both_ends(compose, said):
    with pytest.raises(InvalidInput, match=said):
        compose()


def test_the_inputs_of_a_run_are_listed_by_position(journey):
    async def steps(tn):
        run = await tn.start(chain(group(add, add), add), 1, 2, 3, 4)
        single = await tn.start(shout, "a" * 2000)
        await tn.work()
        (large,) = await single.inputs()
        return [(place.position, place.type, place.input) for place in await run.inputs()], large

    places, large = journey(app, steps)
    assert places == [(0, "calc.add", [1, 2]), (1, "calc.add", [3, 4])]
    assert (large.input, large.input_bytes) == (None, 2004)
