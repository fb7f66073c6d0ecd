-- Does a part of the work of each of up to p_limit requests about large runs and deleted groups. Orgs take turns, and
-- so do the requests of an org. While a retry copies tasks into a new run, a cancel of the new run waits for the end of
-- the retry. Skips requests that another dispatcher has locked. With p_keys, processes only these requests (verb:run
-- id, such as 'cancel:' and the id), even if they are parked. Returns how many requests were worked on.
create or replace function tenuto.advance_requests(p_limit int default 1, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_key record;
  v_request tenuto.run_requests;
  v_parked text[] := tenuto._parked('advance_requests', p_keys);
  v_count bigint := 0;
begin
  for v_key in
    select q.run_id, q.verb
    from (select q.*, max(q.worked_at) over (partition by q.org_id) as org_worked_at from tenuto.run_requests q) q
    where (p_keys is null or q.verb || ':' || q.run_id = any (p_keys))
      and q.verb || ':' || q.run_id <> all (v_parked)
      and not exists (select from tenuto.run_requests o
                      where o.run_id = q.run_id and o.verb = 'retry' and q.verb <> 'retry')
    order by q.org_worked_at, q.worked_at, q.run_id
  loop
    exit when v_count >= p_limit;
    select q.* into v_request
    from tenuto.run_requests q
    where q.run_id = v_key.run_id and q.verb = v_key.verb
    for update skip locked;
    continue when not found;
    perform tenuto._work_on_request(v_request);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
