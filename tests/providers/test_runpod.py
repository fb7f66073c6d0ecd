"""Pods of RunPod, against a server with its API: refusals, outages, late lists."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any
from uuid import uuid4

import pytest

from tenuto.providers.base import Machine, MachineRequest, NoCapacity, ProviderError
from tenuto.providers.runpod import RunPodProvider
from tests.support.http.runpod_server import RunPodServer, runpod_server

POOL = uuid4()
POD = {"imageName": "render:7", "gpuTypeIds": ["NVIDIA A40"], "env": {"TENUTO_URL": "https://tenuto.example"}}


@pytest.fixture
def server() -> Iterator[RunPodServer]:
    with runpod_server() as server:
        yield server


def play(
    server: RunPodServer, scene: Callable[[RunPodProvider], Coroutine[Any, Any, None]], key: str = "secret"
) -> None:
    async def run() -> None:
        provider = RunPodProvider(api_key=key, pod=POD, url=server.url)
        try:
            await scene(provider)
        finally:
            await provider.close()

    asyncio.run(run())


def request(**settings: Any) -> MachineRequest:
    return MachineRequest("m1", POOL, "gpu", "default", settings)


def test_a_pod_is_created_listed_described_and_deleted(server: RunPodServer) -> None:
    async def scene(provider: RunPodProvider) -> None:
        pod_id = await provider.spawn(request(gpuCount=2))
        pod = server.pods[pod_id]
        assert (pod["name"], pod["imageName"], pod["gpuCount"]) == ("m1", "render:7", 2)
        assert (pod["env"]["TENUTO_URL"], pod["env"]["TENUTO_MACHINE"]) == ("https://tenuto.example", "m1")
        server.pods["other"] = {"id": "other", "name": "x", "desiredStatus": "RUNNING", "env": {}}
        assert await provider.list_machines(POOL) == [Machine(pod_id, "m1")]
        pod["desiredStatus"] = "EXITED"
        assert await provider.list_machines(POOL) == [Machine(pod_id, "m1", is_running=False)]
        assert (await provider.describe(pod_id))["desiredStatus"] == "EXITED"
        await provider.terminate(pod_id)
        await provider.terminate(pod_id)
        assert set(server.pods) == {"other"}

    play(server, scene)


def test_a_pod_that_is_listed_late_can_be_deleted(server: RunPodServer) -> None:
    async def scene(provider: RunPodProvider) -> None:
        pod_id = await provider.spawn(request())
        server.unlisted.add(pod_id)
        assert await provider.list_machines(POOL) == []
        await provider.terminate(pod_id)

    play(server, scene)
    assert server.pods == {}


def test_a_gpu_that_is_sold_out_lets_the_next_tier_be_tried(server: RunPodServer) -> None:
    server.sold_out.add("NVIDIA A40")

    async def scene(provider: RunPodProvider) -> None:
        with pytest.raises(NoCapacity, match="no longer any instances"):
            await provider.spawn(request())
        await provider.spawn(request(gpuTypeIds=["NVIDIA L4"]))

    play(server, scene)


@pytest.mark.parametrize(
    ("failure", "text", "wait"),
    [
        ((429, {"error": "slow down"}, {"retry-after": "7"}), "429", 7.0),
        ((503, {"error": "maintenance"}, None), "503", None),
        ((500, {"error": "boom"}, {"retry-after": "soon"}), "boom", None),
    ],
)
def test_a_refusal_says_why_and_how_long_to_wait(
    server: RunPodServer, failure: tuple[int, object, dict[str, str] | None], text: str, wait: float | None
) -> None:
    async def scene(provider: RunPodProvider) -> None:
        for call in (provider.spawn(request()), provider.list_machines(POOL), provider.terminate("pod1")):
            server.failures.append(failure)
            with pytest.raises(ProviderError, match=text) as refused:
                await call
            assert getattr(refused.value, "retry_after", None) == wait

    play(server, scene)
    assert server.pods == {}


def test_a_wrong_key_and_a_server_that_is_away_are_errors(server: RunPodServer) -> None:
    async def refused(provider: RunPodProvider) -> None:
        with pytest.raises(ProviderError, match="401"):
            await provider.list_machines(POOL)

    play(server, refused, key="wrong")

    async def away() -> None:
        provider = RunPodProvider(api_key="secret", pod=POD, url="http://127.0.0.1:9")
        with pytest.raises(ProviderError, match="does not respond"):
            await provider.list_machines(POOL)
        await provider.close()

    asyncio.run(away())


def test_a_pool_cannot_set_the_image_or_the_variables(server: RunPodServer) -> None:
    async def scene(provider: RunPodProvider) -> None:
        with pytest.raises(ProviderError, match="cannot set env, imageName"):
            await provider.spawn(request(imageName="mine", env={}))

    play(server, scene)
    assert server.made == 0
