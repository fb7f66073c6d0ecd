"""The objects that all requests of one server process share."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tenuto.server.settings import ServerSettings

if TYPE_CHECKING:  # these modules import requests, which have this state
    from tenuto.db.connection.pool import ConnectionPool
    from tenuto.query.service import QueryService
    from tenuto.server.auth.imported_keys import BcryptChecker
    from tenuto.server.auth.oidc_issuer import Issuer
    from tenuto.server.http.middleware import RequestLimit
    from tenuto.server.http.request_log import RequestLog
    from tenuto.server.limits.body_memory import BodyMemoryLimit, Turns
    from tenuto.server.limits.long_poll import WaiterLimit
    from tenuto.server.limits.org_threads import OrgThreads
    from tenuto.server.limits.rate_limits import AddressLimiter, PrepaidTokens
    from tenuto.server.routes.health import ReadinessCheck
    from tenuto.server.starts.batcher import StartBatcher
    from tenuto.server.starts.input_check import InputChecks
    from tenuto.server.wakeups import WakeupHub
    from tenuto.storage.base import Store


@dataclass(frozen=True)
class ServerState:
    """The state of one server process, made when the server starts. Every request has it as `HttpRequest.server`."""

    settings: ServerSettings
    pool: "ConnectionPool"
    store: "Store"
    issuer: "Issuer | None"
    bcrypt_checker: "BcryptChecker"
    prepaid_tokens: "PrepaidTokens"
    address_limiter: "AddressLimiter"
    request_limit: "RequestLimit"
    request_log: "RequestLog"
    body_memory: "BodyMemoryLimit"
    body_turns: "Turns"
    org_threads: "OrgThreads"
    waiters: "WaiterLimit"
    worker_waiters: "WaiterLimit"
    query_waiters: "WaiterLimit"
    query_service: "QueryService"
    start_batcher: "StartBatcher"
    input_checks: "InputChecks"
    wakeups: "WakeupHub"
    readiness: "ReadinessCheck"
    stopping: asyncio.Event
    schema_changed: asyncio.Event  # set when another version of Tenuto has replaced the SQL functions
