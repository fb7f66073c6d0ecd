-- -> running: starts a backfill of a dataset and returns its id. Its partitions are those from p_first to p_last, both
-- included, or those in p_partitions. Dispatchers start the tasks, at most p_concurrency at a time. p_reprocess: none
-- (computes missing partitions), failed (also partitions that failed) or all (every partition). p_downstream: which
-- jobs react to the commits: none, same (jobs that compute the same partition) or all (as after other commits).
create or replace function tenuto.start_backfill(
  p_org_id uuid, p_dataset text, p_first text default null, p_last text default null, p_partitions text[] default null,
  p_reprocess text default 'none', p_downstream text default 'all', p_concurrency int default 100,
  p_descending boolean default false, p_reason text default null, p_actor text default 'sql')
  returns uuid
  language plpgsql
as $$
declare
  v_new tenuto.backfills := tenuto._describe_backfill(p_org_id, p_dataset, p_first, p_last, p_partitions, p_reprocess,
    p_downstream, p_concurrency, p_descending, p_reason);
  v_id uuid := tenuto._uuid7();
begin
  perform tenuto._check_name('the actor of a backfill', coalesce(p_actor, ''));
  insert into tenuto.backfills (id, org_id, dataset_id, job_key, config_hash, keys, first_key, last_key, partitions,
    reprocess, downstream, concurrency, descending, reason, created_by, status, total, due_at, moved_at, created_at)
  values (v_id, p_org_id, v_new.dataset_id, v_new.job_key, v_new.config_hash, v_new.keys, v_new.first_key,
          v_new.last_key, v_new.partitions, v_new.reprocess, v_new.downstream, v_new.concurrency, v_new.descending,
          v_new.reason, p_actor, 'running', v_new.total, tenuto.now(), tenuto.now(), tenuto.now());
  perform tenuto._audit(p_org_id, 'backfill', v_id::text, 'start', jsonb_build_object('dataset', p_dataset,
    'partitions', v_new.total, 'reprocess', p_reprocess, 'downstream', p_downstream, 'reason', p_reason));
  return v_id;
end
$$;
