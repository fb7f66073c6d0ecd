"""Starts workers as tasks of Amazon ECS, on Fargate or EC2. Needs `pip install 'tenuto[aws]'`."""

import asyncio
import importlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar, cast
from uuid import UUID

from tenuto.model.json import Json, JsonObject
from tenuto.providers.base import MAX_MACHINES, Machine, MachineRequest, NoCapacity, ProviderError

PAGE = 100  # tasks per call of describe_tasks
CALL_SECONDS = 20
THREADS = 4  # used only for ECS, so that calls that hang do not block other providers
OF_POOLS = ("cpu", "memory", "capacityProviderStrategy")  # the settings that a pool may contain
MACHINE_TAG = "tenuto-machine"
DETAILS = ("lastStatus", "desiredStatus", "stopCode", "stoppedReason", "healthStatus")

T = TypeVar("T")


@dataclass(frozen=True)
class EcsTask:
    """A task of ECS, which runs one machine of a pool. `machine`: the name of that machine."""

    arn: str
    machine: str
    details: JsonObject


class EcsProvider:
    """Runs an ECS task per machine. `task` holds the arguments of RunTask: cluster, taskDefinition,
    networkConfiguration … The environment variables of the request are set in the container with the name
    `container`."""

    lists_all = False  # ECS is eventually consistent
    id_prefix = ""

    def __init__(
        self,
        *,
        task: JsonObject,
        container: str,
        region: str | None = None,
        url: str | None = None,
        max_machines: int = MAX_MACHINES,
    ) -> None:
        self.max_machines = max_machines
        try:
            boto3 = importlib.import_module("boto3")
            config = importlib.import_module("botocore.config").Config(
                connect_timeout=CALL_SECONDS, read_timeout=CALL_SECONDS, retries={"mode": "standard", "max_attempts": 3}
            )
        except ModuleNotFoundError as error:
            raise ProviderError("the provider ecs needs boto3; run pip install 'tenuto[aws]'") from error
        self._ecs: Any = boto3.client("ecs", region_name=region, endpoint_url=url, config=config)
        self._task, self._container = task, container
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="tenuto-ecs")

    async def spawn(self, request: MachineRequest) -> str:
        refused = sorted(set(request.settings) - set(OF_POOLS))
        if refused:
            raise ProviderError(f"a pool cannot set {', '.join(refused)} of a task; it can set {', '.join(OF_POOLS)}")
        return await self._call(lambda: self._spawn(request))

    def _spawn(self, request: MachineRequest) -> str:
        variables = [{"name": name, "value": value} for name, value in request.environment().items()]
        sizes = {name: str(request.settings[name]) for name in ("cpu", "memory") if name in request.settings}
        container = {"name": self._container, "environment": variables}
        overrides: JsonObject = {"containerOverrides": [cast("Json", container)], **sizes}
        strategy = request.settings.get("capacityProviderStrategy")
        arguments: dict[str, Json] = {
            **self._task,
            **({"capacityProviderStrategy": strategy} if strategy else {}),
            "count": 1,
            "overrides": overrides,
            "startedBy": str(request.pool_id),
            "tags": [{"key": MACHINE_TAG, "value": request.name[:256]}],
        }
        made = self._ecs.run_task(**arguments)
        if made["tasks"]:
            return str(made["tasks"][0]["taskArn"])
        reasons = ", ".join(str(failure.get("reason")) for failure in made.get("failures", [])) or "no reason given"
        kind = NoCapacity if "RESOURCE" in reasons or "capacity" in reasons.lower() else ProviderError
        raise kind(f"ECS started no task: {reasons}")

    async def list_machines(self, pool_id: UUID) -> list[Machine]:
        return await self._call(lambda: self._list(str(pool_id)))

    def _list(self, pool_id: str) -> list[Machine]:
        arns: list[str] = []
        for status in ("RUNNING", "STOPPED"):
            pages = self._ecs.get_paginator("list_tasks").paginate(
                cluster=self._task.get("cluster", "default"), startedBy=pool_id, desiredStatus=status
            )
            arns += [arn for page in pages for arn in page["taskArns"]]
        return [
            Machine(task.arn, task.machine, is_running=task.details.get("desiredStatus") != "STOPPED")
            for first in range(0, len(arns), PAGE)
            for task in self._describe(arns[first : first + PAGE])
        ]

    def _describe(self, arns: list[str]) -> list[EcsTask]:
        cluster = self._task.get("cluster", "default")
        tasks = self._ecs.describe_tasks(cluster=cluster, tasks=arns, include=["TAGS"])["tasks"]
        return [
            EcsTask(
                task["taskArn"],
                next((tag["value"] for tag in task.get("tags", []) if tag["key"] == MACHINE_TAG), ""),
                {
                    **{name: str(task[name]) for name in DETAILS if name in task},
                    "exit_codes": [container.get("exitCode") for container in task.get("containers", [])],
                },
            )
            for task in tasks
        ]

    async def describe(self, machine_id: str) -> JsonObject:
        tasks = await self._call(lambda: self._describe([machine_id]))
        return tasks[0].details if tasks else {}

    async def terminate(self, machine_id: str) -> bool:
        await self._call(lambda: self._stop(machine_id))
        return True

    def _stop(self, machine_id: str) -> None:
        cluster = self._task.get("cluster", "default")
        try:
            self._ecs.stop_task(cluster=cluster, task=machine_id, reason="ended by the pool")
        except self._ecs.exceptions.InvalidParameterException:
            return  # ECS has forgotten the task

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _call(self, call: Callable[[], T]) -> T:
        errors = importlib.import_module("botocore.exceptions")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except (errors.ClientError, errors.BotoCoreError) as error:
            raise ProviderError(f"ECS: {error}") from error
