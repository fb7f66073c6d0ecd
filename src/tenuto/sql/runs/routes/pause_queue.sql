-- Pauses a queue: claims get no tasks from it until it is resumed. Running tasks continue. Idempotent.
create or replace function tenuto.pause_queue(p_org_id uuid, p_queue text)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_name('the name of a queue', coalesce(p_queue, ''));
  insert into tenuto.queues (org_id, name, paused_at)
  values (p_org_id, p_queue, tenuto.now())
  on conflict (org_id, name) do update set paused_at = coalesce(queues.paused_at, excluded.paused_at);

  update tenuto.routes set paused = true where org_id = p_org_id and queue = p_queue and not paused;
  perform tenuto._audit(p_org_id, 'queue', p_queue, 'pause');
end
$$;
