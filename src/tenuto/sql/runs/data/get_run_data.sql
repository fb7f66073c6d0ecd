-- Returns at most 1000 values of run data, ordered by key: the latest value of each key, or with p_history every value
-- of each key, the newest last. p_glob: * matches any characters, ? matches one character. p_tags: values with any of
-- these tags, or with p_all_tags only values with all of them. p_tag_prefix: values with a tag that begins with this
-- text. updated_at equals created_at until the tags change. Raises TN007 if the values have more than 16 MB together.
create or replace function tenuto.get_run_data(
  p_org_id uuid, p_run_id uuid, p_keys text[] default null, p_prefix text default null, p_glob text default null,
  p_tags text[] default null, p_all_tags boolean default false, p_tag_prefix text default null,
  p_history boolean default false, p_limit int default 1000)
  returns setof tenuto.run_data
  language plpgsql
  stable
as $$
declare
  v_value tenuto.run_data;
  v_bytes bigint := 0;
begin
  for v_value in
    select d.*
    from tenuto.run_data d
    where d.org_id = p_org_id
      and d.run_id = p_run_id
      and (p_keys is null or d.key = any (p_keys))
      and (p_prefix is null or starts_with(d.key, p_prefix))
      and (p_glob is null or d.key like tenuto._glob_to_like(p_glob))
      and (p_tags is null or case when p_all_tags then d.tags @> p_tags else d.tags && p_tags end)
      and (p_tag_prefix is null or exists (select from unnest(d.tags) t where starts_with(t, p_tag_prefix)))
      and (p_history or not exists (
        select from tenuto.run_data n where n.run_id = d.run_id and n.key = d.key and n.id > d.id))
    order by d.key, d.id
    limit least(p_limit, 1000)
  loop
    v_bytes := v_bytes + octet_length(v_value.value::text);
    if v_bytes > tenuto._max_output_bytes() then
      perform tenuto._raise('TN007', format('these values of run %s have more than 16 MB together', p_run_id),
        'select fewer of them, by keys, a prefix, a pattern, tags or a smaller limit');
    end if;
    v_value.updated_at := coalesce(v_value.updated_at, v_value.created_at);
    return next v_value;
  end loop;
end
$$;
