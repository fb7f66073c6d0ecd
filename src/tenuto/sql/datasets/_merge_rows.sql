-- Moves the rows of several row sets of a dataset version to a new row set, in pages of about 300 KB. If several rows
-- have the same key, keeps only the last one. Returns how many pages and rows the new row set has.
create or replace function tenuto._merge_rows(
  p_version_id uuid, p_set_id uuid, p_sets uuid[], p_columns jsonb, p_key jsonb, out pages int, out rows bigint)
  language plpgsql
as $$
declare
  v_names text := (
    select string_agg(quote_ident(c.value ->> 'name'), ', ' order by c.no)
    from jsonb_array_elements(p_columns) with ordinality c(value, no));
  v_key text := (
    select string_agg(format('m.%I::text', k.value), ', ' order by k.no)
    from jsonb_array_elements_text(p_key) with ordinality k(value, no));
begin
  execute format(
    'with moved as (delete from tenuto_data.%1$I where ".set_id" = any ($2) returning *), '
    'kept as ('
    '  select distinct on (%3$s) m.*, array_position($2, m.".set_id") as ".no" from moved m'
    '  order by %3$s, array_position($2, m.".set_id") desc, m.".page" desc, m.".row" desc), '
    'sized as ('
    '  select k.*, (sum(octet_length(k::text)) over (order by k.".no", k.".page", k.".row") / 300000)::int as ".place"'
    '  from kept k), '
    'added as ('
    '  insert into tenuto_data.%1$I (".set_id", ".page", ".row", %2$s)'
    '  select $1, s.".place", row_number() over (partition by s.".place" order by s.".no", s.".page", s.".row"), %2$s'
    '  from sized s returning ".page") '
    'select coalesce(max(a.".page") + 1, 0), count(*) from added a',
    tenuto._data_table(p_version_id), v_names, v_key)
  into pages, rows
  using p_set_id, p_sets;
end
$$;
