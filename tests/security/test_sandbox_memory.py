"""Memory that no process has mapped is refused or counted, with a cgroup and without. Each probe succeeds outside."""

import os
import re
import signal
from collections.abc import Iterator

import pytest

from tenuto.runtimes.sandbox import cgroup
from tenuto.runtimes.sandbox.spec import LIMITS, MB
from tests.support.postgres.server import fresh_database
from tests.support.sandbox.worker import SandboxWorker, start_sandbox_worker
from tests.support.waiting import wait_until

# A worker for which no cgroup is mounted, as in many containers.
WITHOUT_CGROUPS = ["unshare", "--mount", "sh", "-c", 'umount --recursive --lazy /sys/fs/cgroup && exec "$@"', "sh"]


@pytest.fixture(scope="module")
def unaided(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxWorker]:
    """A worker that can make no memory cgroup."""
    folder = tmp_path_factory.mktemp("unaided")
    with (
        fresh_database(server, f"unaided_{os.getpid()}", template) as url,
        start_sandbox_worker(url, folder, prefix=WITHOUT_CGROUPS) as opened,
    ):
        yield opened


def test_calls_that_hold_memory_for_nobody_are_not_there(sandbox: SandboxWorker) -> None:
    inside, outside = sandbox.inside("errors_of_absent_calls").output, sandbox.outside("errors_of_absent_calls")

    assert {name: found for name, found in inside.items() if found not in ("ENOSYS", "EPERM")} == {}
    there = [name for name, found in outside.items() if found == "ENOSYS"]
    assert set(there) <= {"memfd_secret", "landlock_create_ruleset", "userfaultfd"}  # kernels that are built without


def test_files_in_memory_and_segments_of_shared_memory_cannot_be_filled(sandbox: SandboxWorker) -> None:
    assert "not implemented" in sandbox.assert_blocked("fill_memfds", 3, 20)
    assert "not implemented" in sandbox.assert_blocked("fill_segment", 20)


def test_its_ipc_namespace_has_no_room_either(sandbox: SandboxWorker) -> None:
    assert sandbox.outside("read", "/proc/sys/kernel/shmall") != "0\n"
    for name in ("shmall", "shmmni", "msgmni"):
        assert sandbox.inside("read", f"/proc/sys/kernel/{name}").output == "0\n"


def test_buffers_of_pipes_and_sockets_cannot_grow(sandbox: SandboxWorker) -> None:
    assert "not permitted" in sandbox.assert_blocked("grow_pipe")
    assert "not permitted" in sandbox.assert_blocked("grow_buffer")


def test_huge_pages_of_the_machine_are_not_for_it(sandbox: SandboxWorker) -> None:
    assert sandbox.inside("map_huge_pages").output == "ENOMEM"


def test_no_socket_of_any_family_can_be_made_but_pairs_of_streams(sandbox: SandboxWorker) -> None:
    unix, inet, netlink = 1, 2, 16
    assert {unix, inet, netlink} <= set(sandbox.outside("families"))
    assert sandbox.inside("families").output == []

    stream = 1
    assert len(sandbox.outside("pairs")) == 3
    assert sandbox.inside("pairs").output == [stream]


def test_a_memory_cgroup_ends_what_takes_more_and_says_so() -> None:
    if why := cgroup.why_not():
        pytest.skip(why)
    made = cgroup.make(64 * MB)
    if (child := os.fork()) == 0:
        made.enter()
        os.memfd_create("held")  # what it writes there is mapped by nobody
        while True:
            os.write(os.memfd_create("more"), b"x" * MB)

    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert made.was_full()
    made.remove()
    assert not (cgroup.find_folder().folder / f"{cgroup.PREFIX}{os.getpid()}").exists()


def test_a_sandbox_is_in_a_memory_cgroup_of_its_own_which_goes_with_it(sandbox: SandboxWorker) -> None:
    if why := cgroup.why_not():
        pytest.skip(why)
    assert "each has a memory cgroup" in sandbox.log
    assert cgroup.PREFIX not in sandbox.outside("read", "/proc/self/cgroup")
    own = re.findall(rf"{cgroup.PREFIX}\d+", sandbox.inside("read", "/proc/self/cgroup").output)

    assert own
    wait_until(lambda: not any((cgroup.find_folder().folder / name).exists() for name in own))


def test_without_a_cgroup_the_worker_says_so(unaided: SandboxWorker) -> None:
    assert "there is no memory cgroup (no memory controller is mounted)" in unaided.log
    assert unaided.db.execute("select metadata ->> 'sandbox' from tenuto.workers").fetchone() == ("full",)


@pytest.mark.parametrize(("probe", "processes", "each"), [("fill_pairs", 25, 110), ("spread_pages", 20, 16_000)])
def test_without_a_cgroup_what_sockets_and_page_tables_hold_is_counted(
    unaided: SandboxWorker, probe: str, processes: int, each: int
) -> None:
    assert unaided.outside(probe, 1, each) > 10

    end = unaided.inside(probe, processes, each, 60, max_losses=1)  # its worker ends it as soon as it notices

    assert f"its processes together used more than {LIMITS.memory // MB} MB of memory" in end.message
    wait_until(lambda: unaided.processes_inside() == [])
