-- Starts one run for each fire time of each schedule, and sets the next time of the schedule. Skips a schedule that
-- does not wait for the time p_expected any more, so that only one of two dispatchers fires it. Returns a row for each
-- schedule that this call fired; the others were fired, edited, paused, held or deleted in the meantime. p_fire_times:
-- a list of fire times per schedule; an empty list starts no run. A fire time is a dedupe key in the scope of the
-- schedule's name, so that it starts only one run even if an edit makes the same time due again. A schedule of a job
-- starts tasks of the job. If the first time of a schedule is not computed yet, only sets its next time.
create or replace function tenuto.fire_schedules(
  p_org_ids uuid[], p_names text[], p_expected timestamptz[], p_fire_times jsonb, p_next_at timestamptz[])
  returns table (org_id uuid, name text, run_ids uuid[])
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set lock_timeout = '1s'
as $$
#variable_conflict use_column
declare
  v_org uuid;
  v_fired record;
  v_run_ids uuid[];
  v_new tenuto.queued_task[];
  v_queued tenuto.queued_task[] := '{}';
  v_jobs jsonb := '[]';
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_firing(d.name, d.expected, p_fire_times -> (d.no::int - 1), d.next_at)
  from unnest(p_names, p_expected, p_next_at) with ordinality as d(name, expected, next_at, no);

  for v_org in select distinct o from unnest(p_org_ids) o order by 1
  loop
    with due as materialized (
      select d.name, d.expected, d.next_at, p_fire_times -> (d.no::int - 1) as moments
      from unnest(p_org_ids, p_names, p_expected, p_next_at) with ordinality as d(org_id, name, expected, next_at, no)
      where d.org_id = v_org
      order by d.name
    ), mine as materialized (
      select d.name, d.expected, d.next_at, case when s.starts_after is null then d.moments else '[]' end as moments
      from due d
      cross join lateral (
        select s.starts_after
        from tenuto.schedules s
        where s.org_id = v_org and s.name = d.name and s.next_at = d.expected and s.paused_at is null
          and not s.held
        for update skip locked   -- fired later, if an uncommitted cutover has locked it
      ) s
    ), fired as (
      update tenuto.schedules s
      set next_at = m.next_at,
          starts_after = null,
          last_at = coalesce((select max(t::timestamptz) from jsonb_array_elements_text(m.moments) t), s.last_at)
      from mine m
      where s.org_id = v_org and s.name = m.name and s.next_at = m.expected and s.paused_at is null
      returning s.name, s.job_key, s.kind, s.input, s.details, s.jitter_seconds, m.moments
    ), moment as materialized (
      select f.*, to_char(m::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at,
             row_number() over (order by f.name, m::timestamptz) - 1 as no,
             dense_rank() over (order by f.kind) - 1 as kind_no
      from fired f
      cross join lateral jsonb_array_elements_text(f.moments) m
      where f.job_key is null
    )
    select array_agg(m.name order by m.no) as names, array_agg(m.name || '@' || m.at order by m.no) as keys,
           array_agg(m.kind_no::int order by m.no) as task_kinds, array_agg(m.input order by m.no) as inputs,
           (select jsonb_agg(k.kind order by k.kind_no)
            from (select distinct m.kind, m.kind_no from moment m) k) as kinds,
           jsonb_agg(
             coalesce(m.details, '{}')
             || jsonb_build_object(
               'task', m.no,
               'delay_seconds', random() * m.jitter_seconds,
               'metadata', coalesce(m.details -> 'metadata', '{}')
                           || jsonb_build_object('schedule', m.name, 'fire_time', m.at))
             order by m.no) as details,
           (select array_agg(f.name) from fired f where f.job_key is null) as fired,
           (select jsonb_agg(to_jsonb(f)) from fired f where f.job_key is not null) as jobs
    into v_fired
    from moment m;

    v_run_ids := null;
    if v_fired.names is not null then
      select s.run_ids, s.queued into v_run_ids, v_new
      from tenuto._start_named(
        v_org, v_fired.names, v_fired.keys, v_fired.kinds, v_fired.task_kinds, v_fired.inputs, v_fired.details) s;
      v_queued := v_queued || v_new;
    end if;
    return query
    select v_org, f.name, coalesce(array_agg(r.id order by r.no) filter (where r.id is not null), '{}')
    from unnest(v_fired.fired) f(name)
    left join unnest(v_run_ids, v_fired.names) with ordinality as r(id, name, no) on r.name = f.name
    group by f.name;
    v_jobs := v_jobs || coalesce(
      (select jsonb_agg(j || jsonb_build_object('org_id', v_org)) from jsonb_array_elements(v_fired.jobs) j), '[]');
  end loop;
  return query
  select j.org_id, j.name, tenuto._fire_job(j.org_id, j.job_key, j.moments)
  from jsonb_to_recordset(v_jobs) as j(org_id uuid, name text, job_key uuid, moments timestamptz[]);
  perform tenuto._make_ready(v_queued);   -- once and at the end, because it locks limits
end
$$;
