-- Raises TN009 for children outside the queues of the worker key that opened the session, and for limits of other
-- queues: their sizes and slots are not for this key. Sessions without a key are not limited.
create or replace function tenuto._check_child_queues(
  p_session_id bigint, p_kinds tenuto.task_spec[], p_details jsonb)
  returns void
  language plpgsql
  stable
as $$
declare
  v_key_id uuid;
  v_org_id uuid;
  v_queues text[];
  v_queue text;
  v_limit record;
begin
  select s.worker_key_id, s.org_id into v_key_id, v_org_id from tenuto.sessions s where s.id = p_session_id;
  if v_key_id is null then
    return;
  end if;
  select k.queues into v_queues from tenuto.worker_keys k where k.id = v_key_id;
  if '*' = any (v_queues) then
    return;
  end if;
  select k.queue into v_queue from unnest(p_kinds) k where k.queue <> all (v_queues) limit 1;
  if found then
    perform tenuto._raise('TN009', format('a child uses queue %s, which the worker key does not allow', v_queue),
      format('the key allows %s', array_to_string(v_queues, ', ')));
  end if;
  select n.scope, n.key
  into v_limit
  from (
    select distinct l ->> 'scope' as scope, l ->> 'key' as key
    from jsonb_path_query(p_details, '$[*].limits[*]') l
  ) n
  where not tenuto._owns_limit(v_queues, v_org_id, n.scope, n.key)
  limit 1;
  if found then
    perform tenuto._raise('TN009',
      format('a child has limit %s of scope %s, which belongs to another queue', left(v_limit.key, 200), v_limit.scope),
      format('the key is for %s: use a limit of these queues', array_to_string(v_queues, ', ')));
  end if;
end
$$;
