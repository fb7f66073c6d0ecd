-- Locks the datasets of other DAGs that the jobs of a new version read, until the transaction ends, so that none of
-- them is deleted or gets another current version. Skips a dataset that another transaction deletes at the same time.
create or replace function tenuto._hold_inputs(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_names text[] := array(
    select distinct i.value ->> 'dataset'
    from tenuto.jobs j
    cross join lateral jsonb_array_elements(j.definition -> 'inputs') i
    where j.org_id = p_org_id and j.dag_version_id = p_version_id and i.value ->> 'job' is null);
  v_held uuid[];
begin
  loop   -- repeated if another DAG got one of the names while this waited for a lock
    v_held := array(
      select d.id
      from tenuto.datasets d
      where d.org_id = p_org_id and d.deleted_at is null and d.dag_id <> p_dag_id and d.name = any (v_names)
      order by d.id
      for share);
    exit when not exists (
      select from tenuto.datasets d
      where d.org_id = p_org_id and d.deleted_at is null and d.dag_id <> p_dag_id and d.name = any (v_names)
        and d.id <> all (v_held));
  end loop;
end
$$;
