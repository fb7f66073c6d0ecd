-- Returns the entity or action of a recorded call in a form that the audit log accepts. The SQL functions write only
-- such words. A login that inserts rows of recorded calls without these functions could write other words, and these
-- must not keep later entries waiting.
create or replace function tenuto._arrived_word(p_word text)
  returns text
  language sql
  immutable parallel safe
return case when p_word ~ '^[a-z][a-z_]{0,62}$' then p_word else 'unknown' end;
