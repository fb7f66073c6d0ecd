-- firing -> acknowledged, by the caller. Idempotent: the first caller stays recorded. Raises TN001 if there is no such
-- alert, TN004 if it is resolved.
create or replace function tenuto.acknowledge_alert(p_org_id uuid, p_id uuid, p_actor text)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_name('the actor of an acknowledgement', coalesce(p_actor, ''));
  update tenuto.alerts
  set status = 'acknowledged',
      acknowledged_by = coalesce(acknowledged_by, p_actor),
      acknowledged_at = coalesce(acknowledged_at, tenuto.now())
  where org_id = p_org_id and id = p_id and status in ('firing', 'acknowledged');
  if not found then
    if exists (select from tenuto.alerts a where a.org_id = p_org_id and a.id = p_id) then
      perform tenuto._raise('TN004', format('alert %s is resolved', p_id));
    end if;
    perform tenuto._raise('TN001', format('no alert %s', p_id), 'list the alerts to see which exist');
  end if;
  perform tenuto._audit(p_org_id, 'alert', p_id::text, 'acknowledge');
end
$$;
