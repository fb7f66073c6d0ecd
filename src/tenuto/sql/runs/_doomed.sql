-- The tasks that just ended with p_outcome, and the pending ones that end with them, each with its fate.
create or replace function tenuto._doomed(p_ids uuid[], p_outcome text)
  returns table (id uuid, fate text)
  language sql
  stable
as $$
  with recursive ended(id, fate) as (
    select i, p_outcome from unnest(p_ids) i
    union
    select d.child_id, f.fate
    from ended e
    join tenuto.tasks t on t.id = e.id
    join tenuto.task_dependencies d on d.parent_id = e.id
    join tenuto.pending_tasks p on p.id = d.child_id
    cross join lateral (select tenuto._edge_fate(d.runs_on, e.fate, t.optional) as fate) f
    where f.fate <> 'satisfied'
  )
  select id, min(fate) from ended group by id;   -- cancelled before skipped, should both reach it
$$;
