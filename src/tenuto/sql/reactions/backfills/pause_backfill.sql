-- running -> paused: the backfill starts no more tasks; tasks that it has started continue. Idempotent.
create or replace function tenuto.pause_backfill(p_org_id uuid, p_id uuid)
  returns void
  language plpgsql
as $$
begin
  update tenuto.backfills
  set status = 'paused'
  where org_id = p_org_id and id = p_id and status in ('running', 'paused');
  if not found then
    perform tenuto._refuse_backfill(p_org_id, p_id, 'paused');
  end if;
  perform tenuto._audit(p_org_id, 'backfill', p_id::text, 'pause');
end
$$;
