-- Returns the declared fields that differ between the old and the new state of a schedule, as {field: {"old": …, "new":
-- …}}. p_old is null for a new schedule.
create or replace function tenuto._schedule_changes(p_old tenuto.schedules, p_new tenuto.schedules)
  returns jsonb
  language sql
  immutable
as $$
  select coalesce(jsonb_object_agg(n.key, jsonb_build_object('old', o.value, 'new', n.value)), '{}')
  from jsonb_each(to_jsonb(p_new)) n
  left join jsonb_each(to_jsonb(p_old)) o on o.key = n.key
  where n.key = any ('{kind,input,details,cron,timezone,catch_up,jitter_seconds}')
    and n.value is distinct from coalesce(o.value, 'null');
$$;
