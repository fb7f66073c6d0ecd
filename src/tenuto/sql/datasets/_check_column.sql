-- Raises TN001 if a dataset version has no column p_column. A column that is only in the lineage of the dataset version
-- counts too. Checks nothing if p_column is null or if the columns of the dataset version are not declared.
create or replace function tenuto._check_column(p_org_id uuid, p_dataset text, p_version_id uuid, p_column text)
  returns void
  language plpgsql
  stable
as $$
declare
  v_columns jsonb := (
    select j.definition -> 'outputs' -> s.output -> 'columns'
    from tenuto.dag_version_datasets s
    join tenuto.jobs j on j.org_id = s.org_id and j.dag_version_id = s.dag_version_id and j.job_key = s.job_key
    where s.org_id = p_org_id and s.dataset_version_id = p_version_id
    limit 1);
begin
  if p_column is null or jsonb_typeof(v_columns) is distinct from 'array' then
    return;
  end if;
  perform from jsonb_array_elements(v_columns) c where c ->> 'name' = p_column;
  if not found and not exists (
    select from tenuto.column_lineage l
    where l.org_id = p_org_id and l.dataset_version_id = p_version_id and l.column_name = p_column
  ) then
    perform tenuto._raise('TN001', format('dataset %s has no column %s', p_dataset, left(p_column, 100)),
      format('it has %s', (select string_agg(c ->> 'name', ', ') from jsonb_array_elements(v_columns) c)));
  end if;
end
$$;
