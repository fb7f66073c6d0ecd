-- Returns whether a limit belongs to these queues, so that a session restricted to them can declare the limit or use it
-- in a start. A limit of scope queue belongs to its queue. A declared limit belongs to the queue of the type that
-- declared it. Any other limit belongs to these queues if its key does not begin with the name of a type of another
-- queue, and if it was not created by a task of another or an unknown queue. p_by_value: checks all limits whose keys
-- begin with p_key, one for each value of a parameter.
create or replace function tenuto._owns_limit(
  p_queues text[], p_org_id uuid, p_scope text, p_key text, p_by_value boolean default false)
  returns boolean
  language sql
  stable
  set enable_seqscan = off
as $$
  select case
    when p_scope = 'queue' then p_key = any (p_queues)
    else coalesce(
      (select d.queue = any (p_queues) from tenuto._declared_size(p_org_id, p_scope, p_key) d),
      not exists (
        select from tenuto.task_types t
        where t.org_id = p_org_id
          and t.type = split_part(p_key, ':', 1)
          and coalesce(t.kind ->> 'queue', 'default') <> all (p_queues))
      and not exists (
        select
        from (
          select l.queue
          from tenuto.limits l
          where l.org_id = p_org_id
            and l.scope = p_scope
            and l.key ~>=~ p_key
            and l.key ~<~ case when p_by_value then left(p_key, -1) || '>' else p_key || chr(1) end
          order by l.key using ~<~   -- makes the planner use the index in which the keys are a range
        ) l
        where coalesce(l.queue <> all (p_queues), true)))
  end;
$$;
