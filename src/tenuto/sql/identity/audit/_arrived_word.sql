-- Returns the entity or action of a recorded call as the audit log accepts it. The functions write only words that it
-- accepts; a login that inserts the row itself could write others, and must not keep the entries behind it waiting.
create or replace function tenuto._arrived_word(p_word text)
  returns text
  language sql
  immutable parallel safe
return case when p_word ~ '^[a-z][a-z_]{0,62}$' then p_word else 'unknown' end;
