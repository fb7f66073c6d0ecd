-- Silences an alert rule for p_seconds: its alerts are listed but not delivered. 0 ends the silence. Raises TN001 if
-- there is no such rule.
create or replace function tenuto.silence_alert_rule(p_org_id uuid, p_name text, p_seconds int)
  returns void
  language plpgsql
as $$
begin
  if p_seconds not between 0 and 31536000 then
    perform tenuto._raise('TN003', format('%s seconds are not between 0 and 1 year', p_seconds));
  end if;
  update tenuto.alert_rules
  set silenced_until = case when p_seconds > 0 then tenuto.now() + interval '1 second' * p_seconds end
  where org_id = p_org_id and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no alert rule %s', left(p_name, 128)), 'list the rules to see which exist');
  end if;
  perform tenuto._audit(p_org_id, 'alert_rule', p_name, 'silence', jsonb_build_object('seconds', p_seconds));
end
$$;
