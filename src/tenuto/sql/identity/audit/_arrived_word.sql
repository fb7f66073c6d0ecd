-- Returns the entity or action of a recorded call in a form that the audit log accepts. The SQL functions write only
-- such words, but a database login can also insert rows into audit_arrivals itself. A word that the log refuses would
-- make seal_audit fail, and later entries would have to wait.
create or replace function tenuto._arrived_word(p_word text)
  returns text
  language sql
  immutable parallel safe
return case when p_word ~ '^[a-z][a-z_]{0,62}$' then p_word else 'unknown' end;
