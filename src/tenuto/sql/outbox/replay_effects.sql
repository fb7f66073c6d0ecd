-- dead -> pending, with attempts set to 0, for dead effects of the org: those in p_ids (null: all), of the kind p_kind
-- (null: any kind). Returns their ids.
create or replace function tenuto.replay_effects(p_org_id uuid, p_ids bigint[] default null, p_kind text default null)
  returns setof bigint
  language plpgsql
as $$
declare
  v_ids bigint[];
begin
  with replayed as (
    update tenuto.outbox
    set status = 'pending', attempts = 0, available_at = tenuto.now()
    where org_id = p_org_id
      and status = 'dead'
      and (p_ids is null or id = any (p_ids))
      and (p_kind is null or kind = p_kind)
    returning id
  )
  select array_agg(r.id) into v_ids from replayed r;
  perform tenuto._audit(p_org_id, 'outbox',
    coalesce(left(nullif(array_to_string(p_ids, ', '), ''), 256), nullif(p_kind, ''), 'dead'), 'replay',
    jsonb_build_object('effects', coalesce(cardinality(v_ids), 0)));
  return query select unnest(v_ids);
end
$$;
