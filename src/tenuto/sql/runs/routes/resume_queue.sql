-- Resumes a paused queue: claims get its tasks again. Changes nothing if the queue is not paused.
create or replace function tenuto.resume_queue(p_org_id uuid, p_queue text)
  returns void
  language sql
as $$
  select tenuto._require_read_committed();
  update tenuto.queues set paused_at = null where org_id = p_org_id and name = p_queue;
  update tenuto.routes set paused = false where org_id = p_org_id and queue = p_queue and paused;
  select tenuto._audit(p_org_id, 'queue', p_queue, 'resume')
  from tenuto.queues q
  where q.org_id = p_org_id and q.name = p_queue;
  select tenuto._wake(p_queue);
$$;
