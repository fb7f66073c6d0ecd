-- Adds and removes tags of one value of a run's data. Returns the tags that the value has now.
create or replace function tenuto.edit_run_data_tags(
  p_org_id uuid, p_data_id uuid, p_add text[] default '{}', p_remove text[] default '{}')
  returns text[]
  language plpgsql
as $$
declare
  v_tags text[];
begin
  update tenuto.run_data
  set tags = array(select distinct t from unnest(tags || p_add) t where t <> all (p_remove) order by 1),
      updated_at = tenuto.now()
  where org_id = p_org_id and id = p_data_id
  returning tags into v_tags;
  if not found then
    perform tenuto._raise('TN001', format('no run data %s', p_data_id));
  end if;
  perform tenuto._check_names('the tags of run data', v_tags);
  perform tenuto._audit(p_org_id, 'run_data', p_data_id::text, 'edit',
    jsonb_build_object('tags', p_add), jsonb_build_object('tags', p_remove));
  return v_tags;
end
$$;
