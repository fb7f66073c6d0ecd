"""Measures the machine for heartbeats: CPU, memory and disk always, and GPUs through NVML (`tenuto[gpu]`)."""

import logging
import threading
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import psutil

from tenuto.model.json import JsonObject

MIN_AGE_SECONDS = 5.0  # older figures are measured again; all supervisors of a worker share the figures
MIN_CPU_SECONDS = 0.5  # the CPU load is measured over at least this time: the kernel's CPU clocks tick every 10 ms
MB = 1 << 20

log = logging.getLogger("tenuto.worker")


class MachineFigures:
    """The latest figures of this machine. They are measured in a thread, so that a driver that does not respond delays
    no heartbeat. Heartbeats then carry old figures; `vram_timestamp` shows how old."""

    def __init__(self) -> None:
        self._figures: JsonObject = {}
        self._cpu, self._gpus = Cpu(), Gpus()
        self._measured_at = 0.0
        self._measuring = threading.Lock()
        self._folder = Path.cwd()

    def latest(self) -> JsonObject:
        """Return the figures of the last measurement. If they are too old, start a measurement for the next
        heartbeat."""
        if time.monotonic() - self._measured_at >= MIN_AGE_SECONDS and self._measuring.acquire(blocking=False):
            threading.Thread(target=self._measure, name="machine figures", daemon=True).start()
        return self._figures

    def _measure(self) -> None:
        try:
            self._figures = self.measure()
        except (OSError, psutil.Error) as problem:  # /proc is not readable, or the folder is gone
            log.debug("the figures of this machine cannot be measured: %s", problem)
        finally:
            self._measured_at = time.monotonic()
            self._measuring.release()

    def measure(self) -> JsonObject:
        """Measure the machine now, and return the figures."""
        memory, disk = psutil.virtual_memory(), psutil.disk_usage(str(self._folder))
        return {
            "cpu_percent": self._cpu.measure(),
            "memory_total_mb": memory.total // MB,
            "memory_used_mb": (memory.total - memory.available) // MB,
            "disk_total_mb": disk.total // MB,
            "disk_used_mb": disk.used // MB,
            **self._gpus.measure(),
        }


class Cpu:
    """The load of all cores together. `psutil.cpu_percent` cannot be used: it compares with the last call of the same
    thread, and each measurement runs in a new thread."""

    def __init__(self) -> None:
        self._percent: float | None = None
        self._at, self._total, self._idle = _cpu_clocks()

    def measure(self) -> float:
        """Return the percentage of time since the last measurement in which the cores worked."""
        age = time.monotonic() - self._at
        if age < MIN_CPU_SECONDS:
            if self._percent is not None:
                return self._percent
            time.sleep(MIN_CPU_SECONDS - age)
        total, idle = self._total, self._idle
        self._at, self._total, self._idle = _cpu_clocks()
        counted = max(self._total - total, 0.01)
        self._percent = round(100 * min(1.0, max(0.0, 1 - (self._idle - idle) / counted)), 1)
        return self._percent


def _cpu_clocks() -> tuple[float, float, float]:
    """Return the current time, and two sums over all cores since the machine started: all seconds that they counted,
    and the seconds in which they were idle."""
    times = psutil.cpu_times()
    guests = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)  # counted in user and nice already
    return time.monotonic(), sum(times) - guests, times.idle + getattr(times, "iowait", 0.0)


class Gpus:
    """The NVIDIA GPUs of this machine; none without the package nvidia-ml-py or without a driver."""

    def __init__(self) -> None:
        self._nvml: ModuleType | None = None
        self._looked = False

    def measure(self) -> JsonObject:
        """Return the memory and load of all GPUs together, and of each GPU; an empty object if there are none."""
        if not self._looked:
            self._looked = True
            self._nvml = _open_nvml()
        nvml = self._nvml
        if nvml is None:
            return {}
        try:
            gpus = [_measure_gpu(nvml, number) for number in range(nvml.nvmlDeviceGetCount())]
        except nvml.NVMLError as problem:  # a GPU fell off the bus, or the driver was unloaded: try again next time
            log.debug("the GPUs cannot be measured: %s", problem)
            return {}
        if not gpus:
            return {}
        return {
            "vram_total_mb": sum(gpu.vram_total_mb for gpu in gpus),
            "vram_used_mb": sum(gpu.vram_used_mb for gpu in gpus),
            "vram_timestamp": time.time(),
            "gpu_percent": sum(gpu.percent for gpu in gpus) / len(gpus),
            "gpus": [vars(gpu) for gpu in gpus],
        }


def _open_nvml() -> ModuleType | None:
    try:
        nvml = import_module("pynvml")
    except ImportError:
        return None
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as problem:
        log.debug("no GPU is measured: %s", problem)
        return None
    return nvml


@dataclass(frozen=True)
class GpuFigures:
    """Memory, load in percent and temperature of one GPU."""

    name: str
    vram_total_mb: int
    vram_used_mb: int
    percent: int
    temperature_c: int


def _measure_gpu(nvml: ModuleType, number: int) -> GpuFigures:
    device = nvml.nvmlDeviceGetHandleByIndex(number)
    memory = nvml.nvmlDeviceGetMemoryInfo(device)
    name = nvml.nvmlDeviceGetName(device)
    return GpuFigures(
        name.decode() if isinstance(name, bytes) else name,
        memory.total // MB,
        memory.used // MB,
        nvml.nvmlDeviceGetUtilizationRates(device).gpu,
        nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU),
    )
