-- Stores a signal for the run, and returns its id. When the transaction commits, the tasks that wait for the signal are
-- woken (_wake_signalled).
create or replace function tenuto.send_signal(p_org_id uuid, p_run_id uuid, p_name text, p_value jsonb default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_name('the name of a signal', coalesce(p_name, ''));
  perform tenuto._check_size(format('the value of signal %s', p_name), p_value);
  perform tenuto._open_run(p_org_id, p_run_id);
  insert into tenuto.signals (id, org_id, run_id, name, value, sent_at)
  values (v_id, p_org_id, p_run_id, p_name, p_value, tenuto.now());
  perform tenuto._audit(p_org_id, 'run', p_run_id::text, 'signal', jsonb_build_object('name', p_name));
  return v_id;
end
$$;
