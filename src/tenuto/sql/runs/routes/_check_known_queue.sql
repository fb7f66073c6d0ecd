-- Raises TN001 for a queue that no task and no worker has named so far, with the name of a similar queue as a hint. The
-- queue default always exists.
create or replace function tenuto._check_known_queue(p_org_id uuid, p_queue text, p_otherwise text)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_queue_name('the name of a queue', coalesce(p_queue, ''));
  if p_queue <> 'default'
     and not exists (select from tenuto.routes r where r.org_id = p_org_id and r.queue = p_queue)
     and not exists (select from tenuto.queues q where q.org_id = p_org_id and q.name = p_queue)
     and not exists (
       select from tenuto.sessions s where s.org_id = p_org_id and s.ended_at is null and p_queue = any (s.queues)) then
    perform tenuto._raise('TN001', format('no queue %L', p_queue), concat_ws(' or ',
      tenuto._did_you_mean(
        p_queue, array(select distinct r.queue from tenuto.routes r where r.org_id = p_org_id), null),
      p_otherwise));
  end if;
end
$$;
