-- Returns how many machines a provider runs for the pools of an org: the machines whose end is not recorded.
create or replace function tenuto._count_provider_machines(p_org_id uuid, p_provider text)
  returns bigint
  language sql
  stable
as $$
  select count(distinct coalesce(w.machine, w.id))
  from tenuto.pools p
  join tenuto.workers w on w.org_id = p.org_id and w.pool_id = p.id and w.machine_ended_at is null
  where p.org_id = p_org_id
    and p.provider = p_provider;
$$;
