-- Stores the measured backlog of a job, and decides whether its producers are held. They are held from the time when
-- the backlog exceeds a bound until it is at most half of every bound, so that the decision does not change with every
-- task. Deletes the backlog of a job without bounds. Returns true if the producers are held now or were held before
-- this call.
create or replace function tenuto._judge_backlog(p_backlog tenuto.job_backlogs, p_depth int, p_oldest_at timestamptz)
  returns boolean
  language plpgsql
as $$
declare
  v_age float := coalesce(extract(epoch from tenuto.now() - p_oldest_at), 0);
  v_share float := greatest(p_depth::float / p_backlog.max_depth, v_age / p_backlog.max_age_seconds, 0);
  v_engaged timestamptz := case when v_share > 1 then coalesce(p_backlog.engaged_at, tenuto.now())
                                when v_share > 0.5 then p_backlog.engaged_at end;
begin
  update tenuto.job_backlogs
  set depth = p_depth, oldest_at = p_oldest_at, engaged_at = v_engaged, due_at = tenuto.now() + interval '5 seconds'
  where org_id = p_backlog.org_id and job_key = p_backlog.job_key;
  delete from tenuto.job_backlogs
  where org_id = p_backlog.org_id and job_key = p_backlog.job_key and max_depth is null and max_age_seconds is null;
  return v_engaged is not null or p_backlog.engaged_at is not null;
end
$$;
