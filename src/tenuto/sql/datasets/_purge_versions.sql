-- kept -> purged: marks versions of datasets as purged, so that they cannot become current any more, and queues the
-- deletion of their data. The deletion begins ten minutes later. If another transaction is starting a task now that
-- reads one of the versions, this transaction has committed by then, and the deletion sees the task.
create or replace function tenuto._purge_versions(p_org_id uuid, p_version_ids uuid[])
  returns void
  language plpgsql
as $$
begin
  update tenuto.dataset_versions
  set purged_at = tenuto.now()
  where org_id = p_org_id
    and id = any (p_version_ids)
    and purged_at is null;
  perform tenuto._publish(p_org_id, 'delete_data',
    array(select jsonb_build_object('version_id', id) from unnest(p_version_ids) id), interval '10 minutes');
end
$$;
