-- Returns the entity id of a recorded call as the audit log accepts it. The functions write only ids that it accepts; a
-- login that inserts the row itself could write others, and must not keep the entries behind it waiting.
create or replace function tenuto._arrived_id(p_id text)
  returns text
  language sql
  immutable parallel safe
return case when p_id = '' then 'unknown' else left(p_id, 1024) end;
