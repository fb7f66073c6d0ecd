"""Starts workers as pods of RunPod, over its REST API."""

from uuid import UUID

import httpx2

from tenuto.model.errors import message_of
from tenuto.model.json import Json, JsonObject
from tenuto.model.text import hide
from tenuto.providers.base import MAX_MACHINES, Machine, MachineRequest, NoCapacity, ProviderError

URL = "https://rest.runpod.io/v1"
CALL_SECONDS = 30.0
MAX_RETRY_SECONDS = 300.0
# The settings that a pool may contain. The image, its command and its variables are set in the file of providers.
OF_POOLS = (
    "gpuTypeIds", "gpuCount", "cpuFlavorIds", "vcpuCount", "minRAMPerGPU", "minVCPUPerGPU", "cloudType",
    "dataCenterIds", "containerDiskInGb", "volumeInGb", "interruptible",
)  # fmt: skip
NO_CAPACITY = ("no longer any instances available", "no instances available", "not enough capacity")


class RunPodError(ProviderError):
    """RunPod refused a request. `retry_after`: for how many seconds RunPod asks the caller to wait; None if it does not
    ask for this."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RunPodProvider:
    """Creates a pod per machine. The request consists of `pod` (from the file of providers), the settings of the pool,
    which override fields of `pod`, and the name and the environment of the machine."""

    lists_all = False  # a new pod may be listed late
    id_prefix = ""

    def __init__(self, *, api_key: str, pod: JsonObject, url: str = URL, max_machines: int = MAX_MACHINES) -> None:
        self.max_machines = max_machines
        self._pod = pod
        hide(api_key)
        headers = {"Authorization": f"Bearer {api_key}"}
        self._http = httpx2.AsyncClient(base_url=url, headers=headers, timeout=CALL_SECONDS)

    async def spawn(self, request: MachineRequest) -> str:
        refused = sorted(set(request.settings) - set(OF_POOLS))
        if refused:
            raise ProviderError(f"a pool cannot set {', '.join(refused)} of a pod; it can set {', '.join(OF_POOLS)}")
        own = self._pod.get("env")
        env = {**(own if isinstance(own, dict) else {}), **request.environment()}
        body: JsonObject = {**self._pod, **request.settings, "name": request.name, "env": env}
        made = await self._ask("POST", "/pods", body)
        pod_id = made.get("id") if isinstance(made, dict) else None
        if not isinstance(pod_id, str) or not pod_id:
            raise ProviderError(f"RunPod returned no id of a pod: {str(made)[:200]}")
        return pod_id

    async def list_machines(self, pool_id: UUID) -> list[Machine]:
        listed = await self._ask("GET", "/pods")
        if not isinstance(listed, list):
            raise ProviderError(f"RunPod returned no list of pods: {str(listed)[:200]}")
        pods = [pod for pod in listed if isinstance(pod, dict)]
        return [
            Machine(str(pod["id"]), str(pod.get("name")), is_running=pod.get("desiredStatus") == "RUNNING")
            for pod in pods
            if _pool_of(pod) == str(pool_id) and pod.get("desiredStatus") != "TERMINATED"
        ]

    async def describe(self, machine_id: str) -> JsonObject:
        pod = await self._ask("GET", f"/pods/{machine_id}")
        named = ("id", "desiredStatus", "lastStatusChange", "costPerHr", "machineId", "image", "gpu")
        return {name: pod[name] for name in named if name in pod} if isinstance(pod, dict) else {}

    async def terminate(self, machine_id: str) -> bool:
        await self._ask("DELETE", f"/pods/{machine_id}", gone_is_fine=True)
        return True

    async def close(self) -> None:
        await self._http.aclose()

    async def _ask(self, method: str, path: str, body: Json = None, *, gone_is_fine: bool = False) -> Json:
        try:
            response = await self._http.request(method, path, json=body)
        except httpx2.HTTPError as error:
            raise ProviderError(f"RunPod does not respond: {message_of(error)}") from error
        if response.status_code == 404 and gone_is_fine:
            return None
        if response.status_code >= 400:
            raise _refused(method, path, response)
        try:
            return response.json() if response.content else None
        except ValueError as error:
            raise ProviderError(f"RunPod responded with something other than JSON: {response.text[:200]!r}") from error


def _refused(method: str, path: str, response: httpx2.Response) -> ProviderError:
    text = " ".join(response.text.split())[:500]
    message = f"RunPod responded {response.status_code} to {method} {path}: {text or response.reason_phrase}"
    if method == "POST" and any(words in text.lower() for words in NO_CAPACITY):
        return NoCapacity(message)
    wait = response.headers.get("retry-after", "")
    return RunPodError(message, min(float(wait), MAX_RETRY_SECONDS) if wait.isdecimal() else None)


def _pool_of(pod: JsonObject) -> str | None:
    env = pod.get("env")
    return str(env.get("TENUTO_POOL_ID")) if isinstance(env, dict) else None
