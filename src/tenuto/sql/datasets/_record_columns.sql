-- Replaces the column lineage of a dataset version. Lineage that tasks report is added instead: two partitions can be
-- computed in different ways. An older task, which completes later, replaces nothing.
create or replace function tenuto._record_columns(
  p_org_id uuid, p_version_id uuid, p_task_id uuid, p_inputs jsonb, p_lineage jsonb, p_hash text)
  returns void
  language plpgsql
as $$
begin
  insert into tenuto.lineage_methods as m
    (org_id, dataset_version_id, method, confidence, lineage_hash, task_id, recorded_at)
  values (p_org_id, p_version_id, p_lineage ->> 'method', p_lineage ->> 'confidence', p_hash, p_task_id, tenuto.now())
  on conflict (org_id, dataset_version_id) do update
    set method       = excluded.method,
        confidence   = excluded.confidence,
        lineage_hash = excluded.lineage_hash,
        task_id      = excluded.task_id,
        recorded_at  = excluded.recorded_at
    where m.task_id < excluded.task_id or excluded.method = 'reported';
  if not found then
    return;
  end if;

  if p_lineage ->> 'method' <> 'reported' then
    delete from tenuto.column_lineage where org_id = p_org_id and dataset_version_id = p_version_id;
  end if;
  insert into tenuto.column_lineage
    (org_id, dataset_version_id, column_name, input_dataset_id, input_column, kind, subtype)
  select distinct on (3, 4, 5, 6)
         p_org_id, p_version_id, coalesce(c."column", ''), (p_inputs -> c.input ->> 'dataset_id')::uuid,
         coalesce(c.field, ''), coalesce(c.kind, 'direct'), c.subtype
  from jsonb_to_recordset(p_lineage -> 'columns') as c("column" text, input int, field text, kind text, subtype text)
  where p_inputs -> c.input ->> 'dataset_id' is not null
  order by 3, 4, 5, 6, 7
  on conflict do nothing;
end
$$;
