-- Queues the side effects of accepted completions: [{"task_id": …, "kind": …, "payload": …}]. Effects of rejected
-- completions are dropped.
create or replace function tenuto._publish_effects(p_accepted uuid[], p_effects jsonb)
  returns void
  language plpgsql
as $$
declare
  v_effect record;
begin
  for v_effect in
    select t.org_id, e.kind, array_agg(e.payload) as payloads
    from jsonb_to_recordset(p_effects) as e(task_id uuid, kind text, payload jsonb)
    join tenuto.tasks t on t.id = e.task_id
    where e.task_id = any (p_accepted)
    group by 1, 2
  loop
    perform tenuto._publish(v_effect.org_id, v_effect.kind, v_effect.payloads);
  end loop;
end
$$;
