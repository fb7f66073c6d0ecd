-- Records a heartbeat of a dispatcher, with its address. Deletes dispatchers that have sent no heartbeat for an hour.
create or replace function tenuto.beat_dispatcher(p_id uuid, p_address text, p_port int)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_name('the address of a dispatcher', p_address);
  delete from tenuto.dispatchers
  where heartbeat < tenuto.now() - interval '1 hour' and id <> p_id;

  insert into tenuto.dispatchers (id, address, port, heartbeat, started_at)
  values (p_id, p_address, p_port, tenuto.now(), tenuto.now())
  on conflict (id) do update set heartbeat = excluded.heartbeat, address = excluded.address, port = excluded.port;
end
$$;
