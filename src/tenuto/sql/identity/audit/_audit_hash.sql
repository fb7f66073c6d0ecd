-- Returns the hash that chains an entry to the previous one: SHA-256 of the previous hash, then of every field as its
-- length and bytes, so that no two entries hash alike. model/audit.py computes the same in Python, to verify without
-- Postgres.
create or replace function tenuto._audit_hash(p_previous bytea, p_seq bigint, p_entry tenuto.audit_log)
  returns bytea
  language sql
  stable
as $$
  select sha256(p_previous || string_agg(
    case when f.value is null then convert_to('-', 'UTF8')
         else convert_to(octet_length(convert_to(f.value, 'UTF8')) || ':' || f.value, 'UTF8') end,
    ''::bytea order by f.no))
  from unnest(array[
    p_seq::text, p_entry.id::text, p_entry.org_id::text,
    to_char(p_entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    p_entry.entity, p_entry.entity_id, p_entry.action, p_entry.changes::text, p_entry.actor_kind, p_entry.actor_id,
    p_entry.ip, p_entry.user_agent, p_entry.request_id]) with ordinality f(value, no);
$$;
