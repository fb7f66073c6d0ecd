-- Returns the kind of a schedule that a worker key declares. If the key is restricted to queues and the schedule
-- inherits its queue, adds the queue that the type has now, so that the schedule stays in this queue when its type is
-- declared for another queue later.
create or replace function tenuto._pinned_kind(p_org_id uuid, p_kind jsonb, p_queues text[])
  returns jsonb
  language sql
  stable
as $$
  select case when '*' <> all (p_queues) and not p_kind ? 'queue' and p_kind -> 'inherit' = 'true'
              then p_kind || jsonb_build_object('queue',
                coalesce(tenuto.get_declared_kind(p_org_id, p_kind ->> 'type') ->> 'queue', 'default'))
              else p_kind end;
$$;
