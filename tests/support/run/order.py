"""The order of the tests in the processes of a parallel run."""

from pathlib import Path
from zlib import crc32

import pytest

NO_TESTS = ("__pycache__", "sql", "support")
# Tests of more than 12 s. `make test` prints the slowest at its end.
LONGEST = (
    "cli/test_audit.py::test_a_dispatcher_signs_the_ends_of_chains_where_it_has_the_pepper",
    "dispatcher/test_dispatcher.py::test_dead_rows_of_the_hot_tables_are_vacuumed_where_the_login_may",
    "dispatcher/test_dispatcher.py::test_with_nothing_to_do_it_asks_less_than_twice_a_second",
    "docs/test_pages.py::test_a_page_can_be_followed_by_somebody_who_has_nothing",
    "docs/test_pages.py::test_a_page_can_be_followed_with_the_embedded_server",
    "examples/test_demo.py::test_the_demo_shows_what_readme_shows_and_leaves_nothing_running",
    "journeys/test_idle.py::test_an_idle_worker_asks_little_and_is_small",
    "journeys/test_network.py::test_a_worker_without_its_database_still_ends_when_told_to",
    "journeys/test_pools.py::test_a_burst_scales_up_and_down_and_killed_workers_lose_nothing",
    "journeys/test_shop.py::test_no_order_is_charged_twice_or_lost_when_everything_fails_once",
    "journeys/test_timeouts.py::test_a_task_over_its_time_that_holds_the_whole_process_ends_with_it_and_charges_nobody_else",
    "server/test_matrix.py::test_every_route_lets_in_whom_the_matrix_says_and_nobody_else",
    "server/test_query_fuzz.py::test_random_sql_gets_rows_or_a_problem",
    "server/test_schemathesis.py::test_the_api_answers_whatever_is_asked_as_its_description_says",
    "walk/test_walk.py::test_a_short_walk_leaves_the_kernel_where_the_model_is",
    "walk/test_walk.py::test_twenty_thousand_steps_leave_the_kernel_where_the_model_is",
    "web/test_hostile_text.py::test_text_that_looks_like_html_stays_text_on_every_page",
    "web/test_roles.py::test_a_role_is_offered_what_it_may_do_and_refused_the_rest",
)


def in_order(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """Each process begins with some of the longest tests, so that none of them is alone at the end. Other files are
    mixed by a checksum of their names, so that the tests of each process mostly compute while those of another wait."""
    items = sorted(items, key=lambda item: (crc32(item.path.name.encode()), item.path))
    longest = [item for item in items if _is_long(item)]
    others = [item for item in items if not _is_long(item)]
    processes = getattr(config, "workerinput", {}).get("workercount", 1)
    ordered: list[pytest.Item] = []
    for no in range(processes):  # which get equal parts of the list
        mine = longest[no::processes]
        size = len(items) * (no + 1) // processes - len(items) * no // processes - len(mine)
        ordered += [*mine, *others[:size]]
        del others[:size]
    return ordered


def _is_long(item: pytest.Item) -> bool:
    return item.nodeid.removeprefix("tests/").partition("[")[0] in LONGEST


def collect_other_folders_first(config: pytest.Config) -> None:
    """Let each process of a whole run collect other folders first. The process that imports a test file first rewrites
    its asserts and writes the bytecode for the others; in a new clone that is most of what a collection costs."""
    workers = getattr(config, "workerinput", {})
    if not workers or [Path(path).name for path in config.args] != config.getini("testpaths"):
        return
    tests = config.rootpath / "tests"
    paths = (*tests.iterdir(), *(tests / "sql").iterdir())
    folders = sorted(path for path in paths if path.is_dir() and path.name not in NO_TESTS)
    files = [len(list(folder.rglob("test_*.py"))) for folder in folders]
    begin = sum(files) * int(workers["workerid"].removeprefix("gw")) // workers["workercount"]
    first = next(no for no in range(len(files)) if sum(files[: no + 1]) > begin)
    config.args[:] = map(str, [*folders[first:], *folders[:first]])
