"""Tasks of ECS, against moto."""

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import boto3
import pytest
from moto import mock_aws

from tenuto.providers.base import MachineRequest, NoCapacity, ProviderError
from tenuto.providers.ecs import EcsProvider

POOL = uuid4()
REGION = "eu-central-1"
TASK = {"cluster": "fleet", "taskDefinition": "worker", "launchType": "FARGATE"}


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[EcsProvider]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        ecs = boto3.client("ecs", region_name=REGION)
        ec2 = boto3.client("ec2", region_name=REGION)
        subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
        ecs.create_cluster(clusterName="fleet")
        ecs.register_task_definition(
            family="worker",
            requiresCompatibilities=["FARGATE"],
            networkMode="awsvpc",
            cpu="256",
            memory="512",
            containerDefinitions=[{"name": "worker", "image": "shop:7", "memory": 512}],
        )
        task = {**TASK, "networkConfiguration": {"awsvpcConfiguration": {"subnets": [subnet], "securityGroups": []}}}
        provider = EcsProvider(task=task, container="worker", region=REGION)
        yield provider
        asyncio.run(provider.close())


def request(**settings: Any) -> MachineRequest:
    return MachineRequest("m1", POOL, "gpu", "default", settings)


def test_a_task_is_run_listed_described_and_stopped(provider: EcsProvider) -> None:
    async def scene() -> None:
        arn = await provider.spawn(request(cpu=1024, memory=2048))
        (machine,) = await provider.list_machines(POOL)
        assert (machine.id, machine.name, machine.is_running) == (arn, "m1", True)
        assert await provider.list_machines(uuid4()) == []
        assert (await provider.describe(arn))["desiredStatus"] == "RUNNING"
        await provider.terminate(arn)
        assert [entry.is_running for entry in await provider.list_machines(POOL)] in ([False], [])
        await provider.terminate(arn)

    asyncio.run(scene())


def test_a_cluster_that_is_not_there_is_an_error(provider: EcsProvider) -> None:
    async def scene() -> None:
        other = EcsProvider(task={**TASK, "cluster": "none"}, container="worker", region=REGION)
        with pytest.raises(ProviderError, match="ECS"):
            await other.spawn(request())
        await other.close()

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("reason", "kind"),
    [("RESOURCE:MEMORY", NoCapacity), ("Capacity is unavailable at this time", NoCapacity), ("MISSING", ProviderError)],
)
def test_a_task_that_was_not_started_says_why(
    provider: EcsProvider, monkeypatch: pytest.MonkeyPatch, reason: str, kind: type[Exception]
) -> None:
    answer = {"tasks": [], "failures": [{"reason": reason}]}
    monkeypatch.setattr(provider._ecs, "run_task", lambda **_: answer)

    with pytest.raises(kind, match=reason) as refused:
        asyncio.run(provider.spawn(request()))
    assert type(refused.value) is kind


def test_a_pool_cannot_set_the_task(provider: EcsProvider) -> None:
    with pytest.raises(ProviderError, match="cannot set taskDefinition"):
        asyncio.run(provider.spawn(request(taskDefinition="mine")))
