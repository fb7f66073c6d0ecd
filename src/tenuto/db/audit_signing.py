"""Signs the heads of audit chains with the installation's signing key. Also creates and rotates that key."""

from datetime import timedelta

from tenuto.db import audit, maintenance
from tenuto.db import keys as signing_keys
from tenuto.db.connection.call import Conn
from tenuto.model.errors import Conflict
from tenuto.model.keys import Peppers
from tenuto.model.signing import SigningKey, decrypt_key, encrypt_key, make_signing_key, sign_head

ROTATE_AFTER = timedelta(days=30)  # signatures of the old key stay valid until an admin retires that key


async def signing_key(conn: Conn, peppers: Peppers, *, rotate_after: timedelta = ROTATE_AFTER) -> SigningKey:
    """Return the current signing key. If there is none, or it is too old, creates the next key. If several processes do
    this at the same time, only one key is stored."""
    stored = await signing_keys.find_signing_key(conn)
    if stored is None or stored.created_at <= await maintenance.now(conn) - rotate_after:
        key = make_signing_key()
        private = encrypt_key(key, peppers)
        await signing_keys.add_signing_key(
            conn, id=key.id, public_key=key.public_key, private_key=private, younger_than=rotate_after
        )
        stored = await signing_keys.find_signing_key(conn)
    if stored is None:
        raise Conflict("the signing key was retired right after it was created", "try again")
    return decrypt_key(stored.id, stored.private_key, peppers)


async def sign_heads(
    conn: Conn,
    peppers: Peppers,
    *,
    every: timedelta | None = None,
    limit: int | None = None,
    keys: list[str] | None = None,
) -> int:
    """Sign the chain heads that are due, and return how many. A head is due one minute after the previous signature of
    its chain."""
    heads = await audit.list_due_heads(conn, every=every, limit=limit, keys=keys)
    if not heads:
        return 0
    key, now = await signing_key(conn, peppers), await maintenance.now(conn)
    for head in heads:
        signed = sign_head(key, head, now)
        await audit.record_head(
            conn,
            org_id=signed.org_id,
            seq=signed.seq,
            hash=signed.hash,
            signed_at=signed.signed_at,
            signing_key_id=signed.signing_key_id,
            signature=signed.signature,
        )
    return len(heads)
