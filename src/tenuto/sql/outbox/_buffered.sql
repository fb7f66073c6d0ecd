-- Describes the effects whose rows wait to be added to a dataset version of a sink: how many wait, since when, how many
-- are dead, and the newest error. Counts up to 1,000 effects. Returns null if there are none.
create or replace function tenuto._buffered(p_org_id uuid, p_dataset_version_id uuid)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object('waiting', count(*) filter (where o.status <> 'dead'), 'since', min(o.created_at),
           'dead', count(*) filter (where o.status = 'dead'),
           'error', (array_agg(o.last_error order by o.id desc) filter (where o.last_error is not null))[1])
  from (
    select o.id, o.status, o.created_at, o.last_error
    from tenuto.outbox o
    where o.org_id = p_org_id and o.payload ->> 'dataset_version_id' = p_dataset_version_id::text
      and o.kind = 'sink' and o.status in ('pending', 'processing', 'dead')
    limit 1000) o
  having count(*) > 0;
$$;
