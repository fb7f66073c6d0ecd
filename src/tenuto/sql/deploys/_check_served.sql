-- Raises TN004 if a worker serves, or has served, one of the types with its own code, because a user who can store
-- bundles must not take over tasks of that worker. For a type that a bundle runs already, raises TN004 only while such
-- a worker is starting, active or draining, so that a worker that declares the type and then stops cannot block the
-- bundle.
create or replace function tenuto._check_served(p_org_id uuid, p_name text, p_tasks jsonb)
  returns void
  language plpgsql
as $$
declare
  v_taken record;
begin
  select w.id, t.type into v_taken
  from (select p_name || '.' || k as type from jsonb_object_keys(p_tasks) k) t
  join tenuto.workers w on w.org_id = p_org_id and w.metadata -> 'types' ? t.type
  where w.status in ('starting', 'active', 'draining')
     or not exists (select from tenuto.bundle_types b where b.org_id = p_org_id and b.type = t.type)
  limit 1;
  if found then
    perform tenuto._raise('TN004',
      format('worker %s serves or served type %s from its own app', v_taken.id, v_taken.type),
      'give the bundle another name');
  end if;
end
$$;
