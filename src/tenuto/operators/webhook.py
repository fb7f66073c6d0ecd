"""The operator `webhook`: publishes the rows that the webhook of its source received."""

from tenuto.dag.operator_configs import WebhookConfig
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.sync_context import SyncContext


def webhook(ctx: SyncContext, config: WebhookConfig) -> None:  # noqa: ARG001 - it has no options
    """Write the rows of one request."""
    source = ctx.job.source
    if source.get("kind") != "webhook":
        raise Fail("the task was not started by a webhook; write source: {kind: webhook, webhook_path: /orders/new}")
    body = source["body"]
    ctx.write(body if isinstance(body, list) else [body])
