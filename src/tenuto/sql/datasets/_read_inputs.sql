-- Moves the cursors of the jobs of accepted tasks to the newest commits that these tasks have read. Part of their
-- completion.
create or replace function tenuto._read_inputs(p_tasks tenuto.task_outputs[])
  returns void
  language sql
as $$
  select tenuto._move_cursors(array_agg(t.org_id), array_agg(t.job_key), array_agg((i ->> 'version_id')::uuid),
           array_agg((i ->> 'cursor')::uuid), array_agg(t.task_id))
  from unnest(p_tasks) t
  cross join lateral jsonb_array_elements(t.inputs) i
  where i ->> 'cursor' is not null
  having count(*) > 0;
$$;
