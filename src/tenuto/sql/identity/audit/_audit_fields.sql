-- Returns all fields of an audit entry that its hash covers, except its position in the chain.
create or replace function tenuto._audit_fields(p_entry tenuto.audit_log)
  returns text
  language sql
  stable
return tenuto._audit_field(p_entry.id::text)
  || tenuto._audit_field(p_entry.org_id::text)
  || tenuto._audit_field(to_char(p_entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
  || tenuto._audit_field(p_entry.entity)
  || tenuto._audit_field(p_entry.entity_id)
  || tenuto._audit_field(p_entry.action)
  || tenuto._audit_field(p_entry.changes::text)
  || tenuto._audit_field(p_entry.actor_kind)
  || tenuto._audit_field(p_entry.actor_id)
  || tenuto._audit_field(p_entry.ip)
  || tenuto._audit_field(p_entry.user_agent)
  || tenuto._audit_field(p_entry.request_id);
