-- Requests machines of a pool by hand. The next decision starts them in addition to the machines that the policy
-- requires, up to max_workers in total. Like all other machines, they end when they are idle. Returns how many machines
-- are requested and not yet started.
create or replace function tenuto.request_machines(p_org_id uuid, p_name text, p_count int default 1)
  returns int
  language plpgsql
as $$
declare
  v_pool tenuto.pools;
begin
  if p_count is null or p_count not between 1 and 1000 then
    perform tenuto._raise('TN003', format('%s machines are not between 1 and 1000', p_count));
  end if;
  select * into v_pool from tenuto.pools p where p.org_id = p_org_id and p.name = p_name for no key update;
  if not found then
    perform tenuto._raise('TN001', format('no pool %s', left(p_name, 256)), 'list the pools to see which exist');
  elsif v_pool.paused_at is not null then
    perform tenuto._raise('TN004', format('pool %s is paused', p_name), 'set paused=false first');
  elsif v_pool.requested + p_count > v_pool.max_workers then
    perform tenuto._raise('TN004', format('pool %s has at most %s workers', p_name, v_pool.max_workers),
      'request fewer machines, or set a larger max_workers');
  end if;
  update tenuto.pools p
  set requested = p.requested + p_count,
      decision_no = p.decision_no + 1
  where p.org_id = p_org_id
    and p.id = v_pool.id;
  perform tenuto._audit(p_org_id, 'pool', p_name, 'request_machines', jsonb_build_object('count', p_count));
  return v_pool.requested + p_count;
end
$$;
