-- Raises TN009 for limits that do not belong to the queues of a worker key: this key must not use their slots or change
-- their sizes. p_what: a description of the child or schedule that has these limits, for the message. Null or '*' in
-- p_queues means any queue.
create or replace function tenuto._check_limit_owners(p_what text, p_org_id uuid, p_queues text[], p_limits jsonb)
  returns void
  language plpgsql
  stable
as $$
declare
  v_limit record;
begin
  if p_queues is null or '*' = any (p_queues) or p_limits is null then
    return;
  end if;
  select n.scope, n.key
  into v_limit
  from (
    select distinct l ->> 'scope' as scope, l ->> 'key' as key
    from jsonb_path_query(p_limits, '$[*]') l
  ) n
  where not tenuto._owns_limit(p_queues, p_org_id, n.scope, n.key)
  limit 1;
  if found then
    perform tenuto._raise('TN009',
      format('%s has limit %s of scope %s, which belongs to another queue', p_what, left(v_limit.key, 200),
        v_limit.scope),
      format('the worker key allows the queues %s: use a limit of these queues', array_to_string(p_queues, ', ')));
  end if;
end
$$;
