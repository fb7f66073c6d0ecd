-- Queues an OpenLineage dataset event for each of the datasets p_ids, because its name or version has changed with the
-- current version of its DAG. p_changes[n]: the old and the new name and version of the dataset p_ids[n]. All events of
-- a dataset are in one row of the outbox per destination, so that they are delivered in order.
create or replace function tenuto._emit_datasets(p_org_id uuid, p_ids uuid[], p_changes jsonb[])
  returns void
  language sql
as $$
  select tenuto._emit_events(p_org_id, array_agg('dataset:' || c.id order by c.no),
           array_agg(jsonb_build_object('dataset_id', c.id) order by c.no),
           array_agg(jsonb_build_array(c.change || jsonb_build_object('at', tenuto.now(), 'type',
             case when c.change -> 'version_id' = 'null' then 'DROP'
                  when c.change -> 'old_version_id' = 'null' then 'CREATE'
                  when c.change -> 'name' <> c.change -> 'old_name' then 'RENAME'
                  else 'OVERWRITE' end)) order by c.no))
  from unnest(p_ids, p_changes) with ordinality as c(id, change, no)
  where tenuto._emits_lineage(p_org_id)
  having count(*) > 0;
$$;
