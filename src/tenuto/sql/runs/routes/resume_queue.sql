-- Resumes a paused queue: claims get its tasks again. Changes nothing if the queue is not paused. Raises TN001 for a
-- queue that no task and no worker has named so far.
create or replace function tenuto.resume_queue(p_org_id uuid, p_queue text)
  returns void
  language sql
as $$
  select tenuto._require_read_committed();
  select tenuto._check_known_queue(p_org_id, p_queue, 'list the queues to see which exist');
  update tenuto.queues set paused_at = null where org_id = p_org_id and name = p_queue;
  update tenuto.routes set paused = false where org_id = p_org_id and queue = p_queue and paused;
  select tenuto._audit(p_org_id, 'queue', p_queue, 'resume')
  from tenuto.queues q
  where q.org_id = p_org_id and q.name = p_queue;
  select tenuto._wake(p_queue);
$$;
