-- Replaces the column lineage of a dataset version. Lineage that tasks report is added to it instead, up to 10,000
-- sources, because two partitions can be computed in different ways. If a report adds nothing, no row is written, so
-- that commits of such partitions do not wait for each other. An older task that completes later replaces nothing.
create or replace function tenuto._record_columns(
  p_org_id uuid, p_version_id uuid, p_task_id uuid, p_inputs jsonb, p_lineage jsonb, p_hash text)
  returns void
  language plpgsql
as $$
declare
  v_room int := 10000;
begin
  if p_lineage ->> 'method' = 'reported' then
    v_room := v_room - (
      select count(*)
      from tenuto.column_lineage l
      where l.org_id = p_org_id and l.dataset_version_id = p_version_id);
    perform from tenuto.lineage_methods m
    where m.org_id = p_org_id and m.dataset_version_id = p_version_id and m.method = 'reported'
      and (v_room <= 0 or not exists (
        select from tenuto._lineage_sources(p_inputs, p_lineage) s
        where not exists (
          select from tenuto.column_lineage l
          where l.org_id = p_org_id and l.dataset_version_id = p_version_id and l.column_name = s.column_name
            and l.input_dataset_id = s.input_dataset_id and l.input_column = s.input_column and l.kind = s.kind)));
    if found then
      return;
    end if;
  end if;

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
  select p_org_id, p_version_id, s.*
  from tenuto._lineage_sources(p_inputs, p_lineage) s
  limit greatest(v_room, 0)
  on conflict do nothing;
end
$$;
