-- Returns how many tasks a rate can admit now, at most p_max. The caller has locked the rate's row. With size 10 and
-- seconds 1, tasks are 0.1 s apart (the pace). A call that comes 0.35 s late admits 2 tasks at once, not 4: a late call
-- admits at most the tasks of a quarter of a second.
create or replace function tenuto._rate_share(p_rate tenuto.limits, p_max int)
  returns tenuto.rate_share
  language plpgsql
  stable
as $$
declare
  v_pace float8 := p_rate.seconds / p_rate.size;
  v_late int := greatest(1, floor(0.25 / v_pace));   -- how many tasks a late call can admit at once
  v_share tenuto.rate_share;
  v_used bigint;
begin
  v_share.pace := make_interval(secs => v_pace);
  v_share.starts_at := greatest(p_rate.paced_at, tenuto.now() - make_interval(secs => v_pace * (v_late - 1)));
  select coalesce(sum(a.tasks), 0) into v_used
  from tenuto.rate_admissions a
  where a.limit_id = p_rate.id and a.admitted_at > tenuto.now() - make_interval(secs => p_rate.seconds);
  v_share.tasks := case
    when v_share.starts_at > tenuto.now() then 0
    else greatest(
      0,
      least(p_max, p_rate.size - v_used, floor(extract(epoch from tenuto.now() - v_share.starts_at) / v_pace) + 1))
  end;
  return v_share;
end
$$;
