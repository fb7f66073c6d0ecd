-- Shows the outbox as the table `outbox` of Trace does. An effect that is dead is Failed.
create or replace view tenuto_compat_trace.outbox
  with (security_invoker = true)
as
select o.id, o.kind, o.payload,
       case o.status when 'pending' then 'Pending' when 'processing' then 'Processing' when 'done' then 'Done'
                     else 'Failed' end as status,
       o.available_at, o.attempts, o.last_error, o.created_at, o.processed_at
from tenuto.outbox o
where o.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.outbox
  for each row execute function tenuto_compat._refuse_write('call tenuto.publish_effect or tenuto.replay_effects');
