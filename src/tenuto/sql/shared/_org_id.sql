-- The org that this transaction acts for; null for none. A setting made for one transaction is an empty text after it,
-- which is no org either. Policies compare with it: `pgrls verify` proves them, given that this says who is asking.
create or replace function tenuto._org_id()
  returns uuid
  language sql
  stable parallel safe
return nullif(current_setting('tenuto.org_id', true), '')::uuid;
