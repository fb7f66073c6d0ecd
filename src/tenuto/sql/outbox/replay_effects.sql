-- dead -> pending, with attempts set to 0. Without ids: all dead effects of the org, of one kind if given.
create or replace function tenuto.replay_effects(p_org_id uuid, p_ids bigint[] default null, p_kind text default null)
  returns setof bigint
  language sql
as $$
  update tenuto.outbox
  set status = 'pending', attempts = 0, available_at = tenuto.now()
  where org_id = p_org_id
    and status = 'dead'
    and (p_ids is null or id = any (p_ids))
    and (p_kind is null or kind = p_kind)
  returning id;
$$;
