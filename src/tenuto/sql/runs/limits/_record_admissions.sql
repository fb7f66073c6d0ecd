-- Records how many tasks a rate admitted, and schedules the next check of the rate for the time when it can admit the
-- next task. If fewer tasks were in line than the rate could admit, it is checked after half a second, because a start
-- that has not committed yet may have put tasks in line. If there are still too few tasks, the rate is checked up to 7
-- more times, and each pause is twice as long as the one before.
create or replace function tenuto._record_admissions(p_rate tenuto.limits, p_share tenuto.rate_share, p_tasks int)
  returns void
  language plpgsql
as $$
declare
  v_window interval := make_interval(secs => p_rate.seconds);
  v_paced_at timestamptz := p_rate.paced_at;
  v_oldest timestamptz;
  v_used bigint;
begin
  if p_tasks > 0 then
    delete from tenuto.rate_admissions where limit_id = p_rate.id and admitted_at <= tenuto.now() - v_window;
    update tenuto.rate_admissions
    set tasks = tasks + p_tasks, admitted_at = tenuto.now()
    where limit_id = p_rate.id and since > tenuto.now() - v_window / 1000;
    if not found then
      insert into tenuto.rate_admissions (limit_id, since, admitted_at, org_id, tasks)
      values (p_rate.id, tenuto.now(), tenuto.now(), p_rate.org_id, p_tasks);
    end if;
    v_paced_at := p_share.starts_at + p_tasks * p_share.pace;
  end if;

  select min(a.admitted_at), sum(a.tasks) into v_oldest, v_used
  from tenuto.rate_admissions a
  where a.limit_id = p_rate.id and a.admitted_at > tenuto.now() - v_window;
  if v_used >= p_rate.size then
    v_paced_at := greatest(v_paced_at, v_oldest + v_window);
  end if;

  update tenuto.limits l
  set paced_at = v_paced_at,
      misses = case when p_tasks = p_share.tasks then 0 else l.misses + 1 end,
      due_at = case when p_tasks = p_share.tasks then greatest(v_paced_at, tenuto.now())
                    when l.misses < 8 then tenuto.now() + interval '0.5 seconds' * 2 ^ l.misses end
  where l.id = p_rate.id;
end
$$;
