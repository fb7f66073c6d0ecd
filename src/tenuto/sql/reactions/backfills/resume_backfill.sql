-- paused -> running: the backfill continues after the last partition that it processed. Idempotent.
create or replace function tenuto.resume_backfill(p_org_id uuid, p_id uuid)
  returns void
  language plpgsql
as $$
begin
  update tenuto.backfills
  set status = 'running', due_at = tenuto.now(), moved_at = tenuto.now()
  where org_id = p_org_id and id = p_id and status in ('running', 'paused');
  if not found then
    perform tenuto._refuse_backfill(p_org_id, p_id, 'resumed');
  end if;
  perform tenuto._audit(p_org_id, 'backfill', p_id::text, 'resume');
end
$$;
