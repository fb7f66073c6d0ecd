-- Raises TN009 for children outside the queues of the worker key that opened the session, and for limits of other
-- queues. Sessions without a key can use all queues.
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
  perform tenuto._check_limit_owners('a child', v_org_id, v_queues,
    jsonb_path_query_array(p_details, '$[*].limits[*]'));
end
$$;
