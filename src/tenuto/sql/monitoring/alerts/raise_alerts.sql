-- processing -> done, for effects of kind raise_alerts that the caller has taken: records the alerts that jobs found in
-- a partition, for every rule about alerts of these jobs. The effects of a partition are applied in order. An effect
-- becomes pending again, with 0 attempts, while an earlier one is pending or processing. An effect records nothing if a
-- later one is done already. Returns for each effect that the caller still held whether it is done.
create or replace function tenuto.raise_alerts(p_owner text, p_ids bigint[])
  returns table (id bigint, done boolean)
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_effect tenuto.outbox;
  v_overtaken boolean;
begin
  for v_effect in select o.* from tenuto._held_effects(p_owner, p_ids) o loop
    id := v_effect.id;
    v_overtaken := exists (
      select from tenuto.outbox o
      where o.org_id = v_effect.org_id and o.kind = 'raise_alerts' and o.scope = v_effect.scope
        and o.status = 'done' and o.id > v_effect.id);
    done := v_overtaken or not exists (
      select from tenuto.outbox o
      where o.org_id = v_effect.org_id and o.kind = 'raise_alerts' and o.scope = v_effect.scope
        and o.status in ('pending', 'processing') and o.id < v_effect.id);
    if done and not v_overtaken then
      perform tenuto._record_job_alerts(v_effect.org_id, v_effect.payload);
    end if;
    if done then
      perform tenuto.finish_effects(p_owner, array[id]);
    else
      perform tenuto._continue_effects(array[id], array[v_effect.payload], array[id]);
    end if;
    return next;
  end loop;
end
$$;
