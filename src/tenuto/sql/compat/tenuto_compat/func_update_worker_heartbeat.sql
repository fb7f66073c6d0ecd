-- Records a heartbeat of a worker of Headless-WGP and renews the session that its claim opened. The first heartbeat
-- creates the worker as external. The VRAM figures are merged into its metadata. A worker whose lease has expired
-- gets a new session, without the tasks that it lost.
create or replace function tenuto_compat.func_update_worker_heartbeat(
  worker_id_param text, vram_total_mb_param int default null, vram_used_mb_param int default null)
  returns void
  language plpgsql
as $$
declare
  v_org_id uuid := tenuto_compat._org_id();
  v_session record;
  v_status text;
begin
  v_status := tenuto.beat_worker(v_org_id, worker_id_param,
    case when vram_total_mb_param is null then '{}'
         else jsonb_build_object(
           'vram_total_mb', vram_total_mb_param,
           'vram_used_mb', coalesce(vram_used_mb_param, 0),
           'vram_timestamp', extract(epoch from tenuto.now()))
    end);
  if v_status = 'error' and 'expired' = (
    select s.end_reason
    from tenuto.sessions s
    where s.org_id = v_org_id
      and s.worker_id = worker_id_param
    order by s.id desc
    limit 1) then
    perform tenuto_compat._open_session(v_org_id, worker_id_param);
    return;
  end if;
  v_session := tenuto_compat._find_session(v_org_id, worker_id_param);
  if v_session.id is not null then
    perform tenuto._renew_session(v_session.id, v_session.token, '{}');
  end if;
end
$$;
