-- Returns the org that this transaction acts for, or null if there is none. After a transaction that set tenuto.org_id,
-- the setting is an empty text, which also means no org. Policies compare org_id with the result. `pgrls verify` proves
-- these policies on the assumption that this function returns the caller's org.
create or replace function tenuto._org_id()
  returns uuid
  language sql
  stable parallel safe
return nullif(current_setting('tenuto.org_id', true), '')::uuid;
