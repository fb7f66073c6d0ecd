-- Pauses a queue: claims get no tasks from it until it is resumed. Running tasks continue. Idempotent. Raises TN001 for
-- a queue that no task and no worker has named so far. p_new: pauses such a queue too, before its first task.
create or replace function tenuto.pause_queue(p_org_id uuid, p_queue text, p_new boolean default false)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._require_read_committed();
  if p_new then
    perform tenuto._check_queue_name('the name of a queue', coalesce(p_queue, ''));
  else
    perform tenuto._check_known_queue(p_org_id, p_queue,
      'pass new=true (--new) to pause a queue before its first task');
  end if;
  insert into tenuto.queues (org_id, name, paused_at)
  values (p_org_id, p_queue, tenuto.now())
  on conflict (org_id, name) do update set paused_at = coalesce(queues.paused_at, excluded.paused_at);

  update tenuto.routes set paused = true where org_id = p_org_id and queue = p_queue and not paused;
  perform tenuto._audit(p_org_id, 'queue', p_queue, 'pause');
end
$$;
