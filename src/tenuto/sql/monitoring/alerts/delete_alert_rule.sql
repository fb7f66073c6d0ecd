-- Deletes an alert rule and resolves its open alerts. Raises TN001 if there is none.
create or replace function tenuto.delete_alert_rule(p_org_id uuid, p_name text)
  returns void
  language plpgsql
as $$
begin
  delete from tenuto.alert_rules where org_id = p_org_id and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no alert rule %s', left(p_name, 128)), 'list the rules to see which exist');
  end if;
  update tenuto.alerts
  set status = 'resolved', resolved_at = tenuto.now()
  where org_id = p_org_id and rule = p_name and resolved_at is null;
  perform tenuto._audit(p_org_id, 'alert_rule', p_name, 'delete');
end
$$;
