-- Allows closed and cancelled runs to end. A run that was closed or cancelled while a transaction was adding tasks to
-- it can end only after that transaction. Returns how many runs can end now. With p_keys, processes only these runs,
-- even if they are parked.
create or replace function tenuto.sweep_closed(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('sweep_closed', p_keys);
begin
  return tenuto._end_openness(array(
    select c.run_id
    from tenuto.close_requests c
    where (p_keys is null or c.run_id = any (p_keys::uuid[])) and c.run_id <> all (v_parked)
    order by random()   -- the first hundred may belong to transactions that stay open for hours
    limit p_limit));
end
$$;
