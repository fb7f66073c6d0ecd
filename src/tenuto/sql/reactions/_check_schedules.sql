-- Raises TN007 if the org has more schedules than its settings allow.
create or replace function tenuto._check_schedules(p_org_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_max bigint := (
    select coalesce((o.settings ->> 'max_schedules')::bigint, 10000) from tenuto.orgs o where o.id = p_org_id);
begin
  if (select count(*) from (select from tenuto.schedules s where s.org_id = p_org_id limit v_max + 1) s) > v_max then
    perform tenuto._raise('TN007',
      format('the org would have more than its maximum of %s schedules', trim(to_char(v_max, '999,990'))),
      'delete some; an admin can raise max_schedules in the settings of the org, up to 10,000');
  end if;
end
$$;
