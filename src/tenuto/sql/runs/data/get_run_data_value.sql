-- Returns one value of run data: the value with p_data_id, or the latest value of the key p_key of a run. Raises TN001
-- if there is no such value.
create or replace function tenuto.get_run_data_value(
  p_org_id uuid, p_data_id uuid default null, p_run_id uuid default null, p_key text default null)
  returns tenuto.run_data
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_value tenuto.run_data;
begin
  if num_nonnulls(p_data_id, p_key) <> 1 or num_nonnulls(p_run_id, p_key) = 1 then
    perform tenuto._raise('TN003', 'pass either the id of a value, or a run and a key');
  elsif p_data_id is not null then
    select d.* into v_value from tenuto.run_data d where d.org_id = p_org_id and d.id = p_data_id;
  else
    select d.* into v_value
    from tenuto.run_data d
    where d.org_id = p_org_id and d.run_id = p_run_id and d.key = p_key
    order by d.id desc
    limit 1;
  end if;
  if not found then
    perform tenuto._raise('TN001', case when p_data_id is null then format('run %s has no data %s', p_run_id, p_key)
      else format('no value %s of run data', p_data_id) end);
  end if;
  v_value.updated_at := coalesce(v_value.updated_at, v_value.created_at);
  return v_value;
end
$$;
