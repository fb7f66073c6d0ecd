-- Reads the newest p_rows runs (p_kind run) or tasks (task) of an org, with ids from p_first to before p_before.
-- Returns the rows whose metadata contains p_metadata, newest first. last: the oldest row that was read; null if there
-- are no more rows.
create or replace function tenuto._recent_with_metadata(
  p_kind text, p_org_id uuid, p_metadata jsonb, p_first uuid, p_before uuid, p_rows int,
  out ids uuid[], out last uuid)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
  set enable_seqscan = off
as $$
declare
  v_seen uuid[];
begin
  if p_kind = 'run' then
    with seen as materialized (
      select r.id, r.metadata, case when r.metadata is null then r.id end as task_id
      from tenuto.runs r
      where r.org_id = p_org_id and (p_before is null or r.id < p_before) and (p_first is null or r.id >= p_first)
      order by r.id desc
      limit p_rows
    )
    select array_agg(s.id order by s.id desc),
           array_agg(s.id order by s.id desc)
             filter (where coalesce(s.metadata, m.metadata, t.metadata) @> p_metadata)
    into v_seen, ids
    from seen s
    left join tenuto.tasks t on t.id = s.task_id
    left join tenuto.task_metadata m on m.task_id = s.task_id;
  else
    with seen as materialized (
      select t.id, t.metadata
      from tenuto.tasks t
      where t.org_id = p_org_id and (p_before is null or t.id < p_before) and (p_first is null or t.id >= p_first)
      order by t.id desc
      limit p_rows
    )
    select array_agg(s.id order by s.id desc),
           array_agg(s.id order by s.id desc) filter (where coalesce(m.metadata, s.metadata) @> p_metadata)
    into v_seen, ids
    from seen s
    left join tenuto.task_metadata m on m.task_id = s.id;
  end if;
  ids := coalesce(ids, '{}');
  last := v_seen[p_rows];
end
$$;
