-- Records from which dataset versions and columns the outputs of accepted tasks were computed. Part of the transaction
-- that commits these outputs. The columns come from the publication or from the definition of the job. A commit with
-- the same lineage as the previous one writes nothing. Locks rows in the order of dataset versions.
create or replace function tenuto._record_lineage(p_tasks tenuto.task_outputs[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_output record;
begin
  insert into tenuto.table_lineage (org_id, dataset_version_id, input_version_id, input_dataset_id, recorded_at)
  select distinct s.org_id, s.dataset_version_id, v.id, v.dataset_id, tenuto.now()
  from unnest(p_tasks) t
  cross join lateral (select distinct (p ->> 'output')::int as no from jsonb_array_elements(t.published) p) o
  join tenuto.dag_version_datasets s
    on s.org_id = t.org_id and s.dag_version_id = t.dag_version_id and s.job_key = t.job_key and s.output = o.no
  cross join lateral jsonb_array_elements(t.inputs) i
  join tenuto.dataset_versions v on v.org_id = t.org_id and v.id = (i ->> 'version_id')::uuid
  where not exists (
    select from tenuto.table_lineage l
    where l.org_id = s.org_id and l.dataset_version_id = s.dataset_version_id and l.input_version_id = v.id)
  order by 1, 2, 3
  on conflict do nothing;

  for v_output in
    select distinct on (s.org_id, s.dataset_version_id)
           s.org_id, s.dataset_version_id, t.task_id, t.inputs, n.lineage,
           md5(concat(n.lineage, (select string_agg(i ->> 'dataset_id', '/') from jsonb_array_elements(t.inputs) i)))
             as hash
    from unnest(p_tasks) t
    cross join lateral jsonb_array_elements(t.published) p
    join tenuto.dag_version_datasets s
      on s.org_id = t.org_id and s.dag_version_id = t.dag_version_id and s.job_key = t.job_key
     and s.output = (p ->> 'output')::int
    join tenuto.jobs j on j.org_id = t.org_id and j.dag_version_id = t.dag_version_id and j.job_key = t.job_key
    cross join lateral (
      select case jsonb_typeof(j.definition -> 'outputs' -> s.output -> 'lineage')
               when 'object' then coalesce(
                 case when p #>> '{lineage,method}' = 'reported' then p -> 'lineage' end,
                 j.definition -> 'outputs' -> s.output -> 'lineage')
               else nullif(p -> 'lineage', 'null') end as lineage
    ) n
    where n.lineage is not null and j.definition -> 'outputs' -> s.output -> 'lineage' is distinct from '"off"'
    order by s.org_id, s.dataset_version_id, t.task_id desc
  loop
    perform from tenuto.lineage_methods m
    where m.org_id = v_output.org_id and m.dataset_version_id = v_output.dataset_version_id
      and m.lineage_hash = v_output.hash;
    if not found then
      perform tenuto._record_columns(v_output.org_id, v_output.dataset_version_id, v_output.task_id, v_output.inputs,
        v_output.lineage, v_output.hash);
    end if;
  end loop;
end
$$;
