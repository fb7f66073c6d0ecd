-- Raises TN001 for the first of these types that no worker has ever declared or served and no bundle contains, and then
-- for a queue that no task and no worker has named: a task of it could wait without end. The hint has a similar name.
create or replace function tenuto.check_known(p_org_id uuid, p_types text[], p_queues text[] default '{}')
  returns void
  language plpgsql
  stable
as $$
declare
  v_anyway constant text := 'start its worker first, or start it anyway (--anyway; over HTTP, without strict)';
  v_type text;
  v_known text[];
begin
  select t.type
  into v_type
  from unnest(p_types) as t(type)
  where not exists (select from tenuto.task_types d where d.org_id = p_org_id and d.type = t.type)
    and not exists (select from tenuto.workers w where w.org_id = p_org_id and w.metadata -> 'types' ? t.type)
    and not exists (select from tenuto.bundle_types b where b.org_id = p_org_id and b.type = t.type)
  order by 1
  limit 1;
  if v_type is not null then
    v_known := tenuto._known_types(p_org_id, v_type);
    perform tenuto._raise('TN001', format('no worker has ever served %s', left(v_type, 256)),
      coalesce(tenuto._did_you_mean(v_type, v_known, null) || ' If not, ',
               'the types are ' || nullif(array_to_string(v_known[1:5], ', '), '')
                 || case when cardinality(v_known) > 5 then ', …; ' else '; ' end,
               '') || v_anyway);
  end if;
  perform tenuto._check_known_queue(p_org_id, q.queue, v_anyway) from unnest(p_queues) q(queue);
end
$$;
