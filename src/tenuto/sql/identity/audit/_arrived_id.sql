-- Returns the entity id of a recorded call in a form that the audit log and its index accept. The SQL functions write
-- only such ids, but a database login can also insert rows into audit_arrivals itself. An id that the log refuses would
-- make seal_audit fail, and later entries would have to wait.
create or replace function tenuto._arrived_id(p_id text)
  returns text
  language sql
  immutable parallel safe
return case when p_id = '' then 'unknown'
            when octet_length(left(p_id, 1024)) > 1024 then left(p_id, 256)
            else left(p_id, 1024) end;
