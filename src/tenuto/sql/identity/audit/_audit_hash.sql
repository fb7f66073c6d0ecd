-- Returns the hash that chains an entry to the previous one: SHA-256 of the previous hash, the position and the fields.
-- model/audit.py computes the same hash in Python, to verify a chain without Postgres.
create or replace function tenuto._audit_hash(p_previous bytea, p_seq bigint, p_entry tenuto.audit_log)
  returns bytea
  language sql
  stable
return sha256(p_previous || convert_to(tenuto._audit_field(p_seq::text) || tenuto._audit_fields(p_entry), 'UTF8'));
