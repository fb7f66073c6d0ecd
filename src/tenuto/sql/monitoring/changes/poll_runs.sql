-- Returns the runs in p_run_ids that have ended, with status, output and error. Called for clients that wait. If all
-- tasks of a run have ended and the run has not, ends it here (fold_runs), so that the client does not wait for a
-- dispatcher. Stops when outputs and errors reach 16 MB, but returns at least one run: the client calls again for the
-- others.
create or replace function tenuto.poll_runs(p_org_id uuid, p_run_ids uuid[])
  returns table (id uuid, status text, output jsonb, error jsonb, output_omitted boolean)
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_ended uuid[];
  v_run record;
  v_bytes bigint := 0;
begin
  v_ended := array(
    select r.id
    from tenuto.runs r
    cross join lateral (
      select sum(c.added) as added, sum(c.completed + c.failed + c.cancelled + c.skipped) as ended
      from tenuto.run_counts c
      where c.run_id = r.id
    ) d
    where r.id = any (p_run_ids)
      and r.org_id = p_org_id
      and r.status in ('pending', 'running')
      and r.total + d.added = r.completed + r.failed + r.cancelled + r.skipped + d.ended);
  if cardinality(v_ended) > 0 then
    perform tenuto.fold_runs(cardinality(v_ended), v_ended);
  end if;

  for v_run in
    select r.id, r.single_task, coalesce(a.outcome, r.status) as status, a.output,
           case when r.single_task then a.error else f.error end as error
    from tenuto.runs r
    left join lateral (
      select t.* from tenuto.task_attempts t where t.task_id = r.id and t.end_no = 0 limit 1) a on r.single_task
    left join lateral (
      select t.error from tenuto.task_attempts t where t.task_id = r.failed_task_id and t.end_no = 0 limit 1) f
      on not r.single_task and r.status = 'failed'
    where r.id = any (p_run_ids)
      and r.org_id = p_org_id
      and (a.outcome is not null or r.status in ('completed', 'failed', 'cancelled'))
  loop
    id := v_run.id;
    status := v_run.status;
    error := v_run.error;
    output := v_run.output;
    output_omitted := false;
    if not v_run.single_task then
      select o.output, o.omitted into output, output_omitted from tenuto.get_run_output(v_run.id) o;
      if status = 'cancelled' then
        error := jsonb_strip_nulls(jsonb_build_object('reason', tenuto._cancel_reason(v_run.id)));
      end if;
    end if;
    return next;
    v_bytes := v_bytes + coalesce(octet_length(output::text), 0) + coalesce(octet_length(error::text), 0);
    exit when v_bytes >= tenuto._max_output_bytes();
  end loop;
end
$$;
