-- Returns the reasons why a DAG cannot be deleted, at most 20 of each kind. readers: the jobs of other DAGs that read
-- its datasets. work: the versions that are being computed, and the tasks that have not ended. With p_force, work is
-- null, because a forced deletion cancels the tasks.
create or replace function tenuto._delete_blockers(
  p_org_id uuid, p_dag_id uuid, p_dataset_ids uuid[], p_force boolean, out readers text, out work text)
  language sql
  stable
as $$
  select
    (select string_agg(format('job %s of %s reads %s', r.job, r.dag, r.dataset), '; ')
     from (
       select distinct r.dag, r.job, r.dataset
       from tenuto._outside_readers(p_org_id, p_dag_id, p_dataset_ids) r
       order by 1, 2, 3
       limit 20) r),
    (select string_agg(b.text, '; ' order by b.no, b.text)
     from (
       (select 1 as no, format('version %s is being computed', v.version) as text
        from tenuto.dag_versions v
        where v.org_id = p_org_id and v.dag_id = p_dag_id and v.status = 'building' and not p_force
        order by v.version desc
        limit 20)
       union all
       (select 2, format('%s task%s of job %s %s not ended', sum(t.tasks),
                    case when sum(t.tasks) > 1 then 's' else '' end,
                    (select j.name from tenuto.jobs j
                     where j.org_id = p_org_id and j.job_key = t.job_key
                     order by j.id desc limit 1),
                    case when sum(t.tasks) > 1 then 'have' else 'has' end)
        from tenuto._open_job_tasks(p_org_id, p_dag_id) t
        where not p_force
        group by t.job_key
        order by 2
        limit 20)) b)
$$;
