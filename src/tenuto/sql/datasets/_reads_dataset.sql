-- Returns true if a user has one of the roles that read a dataset. p_every: the caller reads every dataset of the org.
create or replace function tenuto._reads_dataset(
  p_org_id uuid, p_read_roles uuid[], p_user_id uuid, p_every boolean)
  returns boolean
  language sql
  stable
as $$
  select p_every or exists (
    select from tenuto.org_role_memberships m
    where m.org_id = p_org_id and m.user_id = p_user_id and m.role_id = any (p_read_roles));
$$;
