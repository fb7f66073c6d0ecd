"""Bodies that are refused while they are still being sent: ordinary clients get the answer, not a broken pipe."""

import http.client
import json
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.http.app_server import serving

MB = 1 << 20
TIMES = 15


@pytest.mark.parametrize("size", [3 * MB, 40 * MB])
def test_a_client_that_sends_too_much_is_told_so(settings: ServerSettings, make_headers: MakeKey, size: int) -> None:
    headers = {**make_headers("*"), "Content-Type": "application/json"}
    body = bytes(size)
    with serving(settings) as url:
        for _ in range(TIMES if size < 10 * MB else 2):
            line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
            line.request("POST", "/v1/runs", body, headers)
            answer = line.getresponse()
            assert (answer.status, json.loads(answer.read())["code"]) == (413, "too_large")
            line.close()

            request = urllib.request.Request(f"{url}/v1/runs", body, headers)  # noqa: S310
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=60)  # noqa: S310
            assert (refused.value.code, json.loads(refused.value.read())["code"]) == (413, "too_large")


def test_a_client_that_is_not_let_in_is_told_so(settings: ServerSettings) -> None:
    headers = {"Authorization": "Bearer nonsense", "Content-Type": "application/json"}
    with serving(settings) as url:
        for _ in range(TIMES):
            line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
            line.request("POST", "/v1/runs/bulk", bytes(4 * MB), headers)
            assert line.getresponse().status == 401
            line.close()
