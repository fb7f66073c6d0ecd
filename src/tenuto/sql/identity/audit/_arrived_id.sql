-- Returns the entity id of a recorded call as the audit log and its index accept it. The functions write only such ids;
-- a login that inserts the row itself could write others, and must not keep the entries behind it waiting.
create or replace function tenuto._arrived_id(p_id text)
  returns text
  language sql
  immutable parallel safe
return case when p_id = '' then 'unknown'
            when octet_length(left(p_id, 1024)) > 1024 then left(p_id, 256)
            else left(p_id, 1024) end;
