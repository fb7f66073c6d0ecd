-- staged -> building | ready: plans the build of a new DAG version. A version with nothing to compute is ready at once.
-- The number of planned tasks is the number of partitions of the inputs, counted up to 100,000 per input. For jobs that
-- read only data which the build computes, the number comes from the plan.
create or replace function tenuto._open_build(p_org_id uuid, p_dag_id uuid, p_version_id uuid, p_plan jsonb)
  returns void
  language plpgsql
as $$
declare
  v_current uuid := (
    select c.dag_version_id from tenuto.dag_current_versions c where c.org_id = p_org_id and c.dag_id = p_dag_id);
  v_further jsonb := case when jsonb_typeof(p_plan -> 'rebuilds') = 'array' then p_plan -> 'rebuilds' else '[]' end;
begin
  insert into tenuto.builds (dag_version_id, org_id, phase, due_at, planned)
  select p_version_id, p_org_id, 'start', tenuto.now(),
         sum(n.partitions) + coalesce((
           select sum((r ->> 'tasks')::bigint)
           from jsonb_array_elements(v_further) r
           where r ->> 'job' <> all (array_agg(i.job)) and jsonb_typeof(r -> 'tasks') = 'number'), 0)
  from tenuto._list_build_inputs(p_org_id, p_version_id, v_current) i
  cross join lateral (
    select count(*) as partitions
    from (select from tenuto.current_partitions p
          where p.org_id = p_org_id and p.dataset_version_id = i.dataset_version_id
          limit 100000) p) n
  having count(*) > 0;
  if not found then
    perform tenuto._make_version_ready(p_org_id, p_version_id);
    return;
  end if;
  insert into tenuto.build_inputs (dag_version_id, job_id, input, org_id, dataset_version_id)
  select p_version_id, i.job_id, i.input, p_org_id, i.dataset_version_id
  from tenuto._list_build_inputs(p_org_id, p_version_id, v_current) i;
  perform tenuto._begin_build(p_org_id, p_version_id);
end
$$;
