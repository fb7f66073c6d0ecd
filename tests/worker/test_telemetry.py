"""What heartbeats carry besides attempts: figures of the machine, and the worker's own log lines."""

import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, cast

import psutil
import pytest

from tenuto.sdk.context.current_attempt import running
from tenuto.worker.execution.logs import WorkerLog
from tenuto.worker.supervisor import machine_figures
from tenuto.worker.supervisor.machine_figures import Cpu, GpuFigures, Gpus, MachineFigures
from tenuto.worker.supervisor.telemetry import MAX_LINES, Telemetry
from tests.support.waiting import wait_until

NOTHING = {"ended": [], "logs": []}


@pytest.fixture
def worker_log() -> WorkerLog:
    return WorkerLog()


@pytest.fixture
def telemetry(worker_log: WorkerLog) -> Telemetry:
    return Telemetry(MachineFigures(), worker_log)


def record(message: str, level: int = logging.INFO, name: str = "tenuto.worker") -> logging.LogRecord:
    return logging.LogRecord(name, level, __file__, 1, message, (), None)


def line(message: str) -> dict[str, object]:
    return {"created": 0.0, "level": "info", "message": message}


def texts(lines: Sequence[Mapping[str, object]] | None) -> list[object]:
    return [line["message"] for line in lines or []]


def number(figures: Mapping[str, object], name: str) -> float:
    value = figures[name]
    assert isinstance(value, int | float)
    return value


def test_the_figures_of_the_machine_are_measured_beside_the_heartbeat() -> None:
    figures = MachineFigures()

    wait_until(figures.latest)

    measured = figures.latest()
    assert number(measured, "memory_total_mb") >= number(measured, "memory_used_mb") > 0
    assert number(measured, "disk_total_mb") >= number(measured, "disk_used_mb") > 0
    assert 0 <= number(measured, "cpu_percent") <= 100


class Clocks(NamedTuple):
    """The seconds that the cores of a machine have counted."""

    user: float
    idle: float


def test_the_load_of_the_cpu_is_measured_by_every_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = [Clocks(user=10.0, idle=50.0), Clocks(user=11.0, idle=53.0), Clocks(user=14.0, idle=54.0)]
    monkeypatch.setattr(machine_figures, "MIN_CPU_SECONDS", 0.0)
    monkeypatch.setattr(psutil, "cpu_times", lambda: clocks.pop(0))
    cpu = Cpu()
    percents: list[float] = []

    for _ in range(2):
        thread = threading.Thread(target=lambda: percents.append(cpu.measure()))
        thread.start()
        thread.join()

    assert percents == [25.0, 75.0]


def test_a_measurement_that_hangs_delays_no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    figures, release, begun = MachineFigures(), threading.Event(), threading.Event()

    def hang() -> dict[str, object]:
        begun.set()
        release.wait(60)
        return {"cpu_percent": 1.0}

    monkeypatch.setattr(figures, "measure", hang)

    assert figures.latest() == {}
    assert begun.wait(60)
    before = threading.active_count()
    assert [figures.latest() for _ in range(100)] == [{}] * 100
    assert threading.active_count() <= before
    release.set()
    wait_until(lambda: figures.latest() == {"cpu_percent": 1.0})


class FakeNvml(ModuleType):
    """The library of the driver, for a machine with two GPUs."""

    NVML_TEMPERATURE_GPU = 0

    class NVMLError(Exception):
        pass

    def __init__(self, *, driver: bool = True) -> None:
        super().__init__("pynvml")
        self.driver = driver

    def nvmlInit(self) -> None:
        self._check()

    def nvmlDeviceGetCount(self) -> int:
        self._check()
        return 2

    def nvmlDeviceGetHandleByIndex(self, number: int) -> int:
        return number

    def nvmlDeviceGetMemoryInfo(self, number: int) -> SimpleNamespace:
        return SimpleNamespace(total=80 << 30, used=(number + 1) << 30)

    def nvmlDeviceGetName(self, number: int) -> bytes | str:
        return b"H100" if number else "H200"

    def nvmlDeviceGetUtilizationRates(self, number: int) -> SimpleNamespace:
        return SimpleNamespace(gpu=50 * number)

    def nvmlDeviceGetTemperature(self, number: int, _: int) -> int:
        return 40 + number

    def _check(self) -> None:
        if not self.driver:
            raise self.NVMLError("driver not loaded")


def test_gpus_are_measured_through_nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml())

    figures = Gpus().measure()

    assert (figures["vram_total_mb"], figures["vram_used_mb"], figures["gpu_percent"]) == (163840, 3072, 25)
    names = [GpuFigures(**gpu).name for gpu in cast("list[dict[str, Any]]", figures["gpus"])]
    assert names == ["H200", "H100"]
    assert number(figures, "vram_timestamp") > 0


def test_without_a_driver_or_its_library_there_are_no_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml(driver=False))
    assert Gpus().measure() == {}
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert Gpus().measure() == {}


def test_a_driver_that_fails_later_costs_the_gpu_figures_only(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = FakeNvml()
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    gpus = Gpus()
    assert gpus.measure()
    nvml.driver = False

    assert gpus.measure() == {}


def test_a_folder_that_is_gone_costs_no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: str) -> None:
        raise FileNotFoundError("no such folder")

    monkeypatch.setattr(psutil, "disk_usage", gone)
    figures = MachineFigures()
    figures.latest()

    wait_until(lambda: figures._measured_at > 0)  # pyright: ignore[reportPrivateUsage]
    assert figures.latest() == {}


def test_lines_are_sent_until_a_heartbeat_with_them_was_accepted(telemetry: Telemetry, worker_log: WorkerLog) -> None:
    worker_log.emit(record("parent"))
    telemetry.heard({"ended": [], "logs": [line("child")]})

    metrics, lines = telemetry.take({"running": 3})
    assert metrics["running"] == 3
    assert texts(lines) == ["child", "tenuto.worker: parent"]
    telemetry.heard({"ended": [], "logs": [line("later")]})
    assert texts(telemetry.take({})[1]) == ["child", "tenuto.worker: parent", "later"]
    telemetry.accepted()
    assert telemetry.take({})[1] is None


def test_a_flood_of_lines_is_sent_in_small_parts_and_the_oldest_are_dropped(telemetry: Telemetry) -> None:
    telemetry.heard({"ended": [], "logs": [line(str(number)) for number in range(1000)]})

    sent: list[object] = []
    while lines := telemetry.take({})[1]:
        assert len(lines) <= MAX_LINES
        sent += texts(lines)
        telemetry.accepted()
    assert sent == [str(number) for number in range(500, 1000)]


def test_long_lines_are_sent_one_by_one_at_least(telemetry: Telemetry) -> None:
    telemetry.heard({"ended": [], "logs": [line("x" * 100_000), line("y" * 40_000), line("z" * 40_000)]})

    parts = []
    while lines := telemetry.take({})[1]:
        parts.append([str(text)[0] for text in texts(lines)])
        telemetry.accepted()
    assert parts == [["x"], ["y"], ["z"]]


def test_a_worker_log_keeps_what_is_logged_outside_of_tasks(worker_log: WorkerLog) -> None:
    worker_log.emit(record("a\x00b"))
    token = running.set(SimpleNamespace())  # type: ignore[arg-type]
    worker_log.emit(record("of a task"))
    running.reset(token)

    assert [line.message for line in worker_log.take()] == [r"tenuto.worker: a\0b"]
    assert worker_log.take() == []


def test_a_worker_log_keeps_the_newest_lines_and_the_beginnings_of_long_ones(worker_log: WorkerLog) -> None:
    for number in range(600):
        worker_log.emit(record(f"{number} {'x' * 5000}"))

    lines = worker_log.take()
    assert [line.message.split()[1] for line in lines] == [str(number) for number in range(100, 600)]
    assert all(len(line.message) == 4000 for line in lines)
