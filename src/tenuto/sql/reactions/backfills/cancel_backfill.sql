-- running | paused -> cancelling: dispatchers cancel the tasks that the backfill has started and that have not ended.
-- Then the backfill is cancelled. Committed data stays. Idempotent.
create or replace function tenuto.cancel_backfill(p_org_id uuid, p_id uuid)
  returns void
  language plpgsql
as $$
begin
  update tenuto.backfills
  set status = 'cancelling', due_at = tenuto.now(), moved_at = tenuto.now()
  where org_id = p_org_id and id = p_id and status in ('running', 'paused');
  if not found and not exists (
    select from tenuto.backfills b
    where b.org_id = p_org_id and b.id = p_id and b.status in ('cancelling', 'cancelled')
  ) then
    perform tenuto._refuse_backfill(p_org_id, p_id, 'cancelled');
  end if;
  perform tenuto._audit(p_org_id, 'backfill', p_id::text, 'cancel');
end
$$;
