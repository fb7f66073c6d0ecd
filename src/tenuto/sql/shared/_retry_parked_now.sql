-- Makes the parked rows of a run due now. Called when the run or one of its tasks is cancelled.
create or replace function tenuto._retry_parked_now(p_run_id uuid)
  returns void
  language sql
as $$
  update tenuto.parked_rows p
  set retry_at = tenuto.now()
  where p.run_id = p_run_id
    and p.retry_at > tenuto.now();
$$;
