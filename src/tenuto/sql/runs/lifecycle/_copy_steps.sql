-- Copies the recorded steps of tasks to their copies, which continue after these steps. Keeps the times of sleeps, and
-- replaces children by their copies where copies exist. Leaves out the steps that _steps_before omits. Also leaves out
-- the last step if it is a wait for a signal that timed out or whose value had a wrong type, and the step with the time
-- of the timeout: this ended the task, and the copy waits again.
create or replace function tenuto._copy_steps(p_run_id uuid, p_base uuid, p_old uuid[], p_from_name text)
  returns void
  language sql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
as $$
  insert into tenuto.task_steps (task_id, step_no, org_id, name, kind, value, error, tries, attempt, created_at)
  select tenuto._copy_id(p_base, s.task_id), s.step_no, s.org_id, s.name, s.kind, coalesce(c.ids, s.value), s.error,
         s.tries, s.attempt, s.created_at
  from unnest(p_old) o(id)
  cross join lateral (select t.run_id from tenuto.tasks t where t.id = o.id limit 1) t
  cross join lateral (select s.* from tenuto._steps_before(o.id, p_from_name) s offset 0) s
  left join lateral (
    select l.step_no, l.name, l.kind, l.value, l.error
    from tenuto._steps_before(o.id, p_from_name) l
    order by l.step_no desc
    limit 1) l on l.kind = 'signal' and (l.value = '{"$timeout": true}' or l.error is not null)
  cross join lateral (   -- in another run all children are copied, in the same run only children that run again
    select jsonb_agg(coalesce(n.id, i.id) order by i.no) as ids
    from jsonb_array_elements_text(case when s.kind = 'child' then s.value else '[]' end) with ordinality e(id, no)
    cross join lateral (select e.id::uuid as id, e.no, tenuto._copy_id(p_base, e.id::uuid) as copy) i
    left join lateral (
      select i.copy as id where t.run_id <> p_run_id
      union all
      select k.id from tenuto.tasks k where t.run_id = p_run_id and k.id = i.copy
      limit 1) n on true
  ) c
  where l.step_no is null
     or (s.step_no < l.step_no
         and not (s.step_no = l.step_no - 1 and s.kind = 'sleep' and s.name = l.name || ' timeout'));
$$;
