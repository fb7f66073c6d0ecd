-- Lists when the current version of each DAG changed: from which version to which, by which actor, and until when the
-- new version was current. After a deletion, no version is current.
create or replace view tenuto.pointer_history
  with (security_invoker = true)
as
select
  h.org_id, d.name as dag, h.action, f.version as from_version, t.version as to_version, t.yaml_hash, h.created_by,
  h.created_at as since, lead(h.created_at) over (partition by h.org_id, h.dag_id order by h.id) as until
from tenuto.deploy_history h
join tenuto.dags d on d.org_id = h.org_id and d.id = h.dag_id
left join tenuto.dag_versions t on t.org_id = h.org_id and t.id = h.to_version_id
left join tenuto.dag_versions f on f.org_id = h.org_id and f.id = h.from_version_id
where h.action in ('cutover', 'rollback', 'delete');
