-- Adds to the rollups the attempts that have ended since the last call, up to the change horizon: no attempt can still
-- appear before the horizon, however late its transaction commits. Stops after about p_limit attempts, so that the load
-- of a burst is spread. Deletes old rollups: per minute after 3 hours, per hour after 8 days, per day after 90 days.
-- Returns how many attempts were added.
create or replace function tenuto.roll_up_activity(p_limit int default 200000)
  returns bigint
  language plpgsql
  set jit = off
as $$
declare
  v_until timestamptz := tenuto.get_change_horizon('{tenuto.task_attempts}');
  v_from timestamptz;
  v_step interval := '1 second';   -- at full load, 60,000 attempts; longer steps while there are few
  v_count bigint;
  v_total bigint := 0;
begin
  perform tenuto._require_read_committed();
  v_until := v_until + (tenuto.now() - statement_timestamp());   -- 0, unless a test has moved the clock
  select p.rolled_up into v_from from tenuto.rollup_position p for update skip locked;
  if not found then
    return 0;   -- another dispatcher is doing it
  end if;

  while v_from < v_until and v_total < p_limit
  loop
    v_count := tenuto._roll_up(v_from, least(v_from + v_step, v_until));
    v_from := least(v_from + v_step, v_until);
    v_step := case when v_count < 10000 then least(v_step * 2, interval '4 hours') else interval '1 second' end;
    v_total := v_total + v_count;
  end loop;
  update tenuto.rollup_position set rolled_up = v_from where rolled_up < v_from;

  delete from tenuto.rollups r
  where r.ctid = any (array(
    select o.ctid
    from (values ('minute', interval '3 hours'), ('hour', '8 days'), ('day', '90 days')) k(period, keep)
    cross join lateral (
      select q.ctid
      from tenuto.rollups q
      where q.period = k.period
        and q.starts_at < tenuto.now() - k.keep
      limit 5000) o));
  return v_total;
end
$$;
