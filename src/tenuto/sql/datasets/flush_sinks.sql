-- processing -> done, for effects of kind sink that the caller has taken: adds the rows that tasks appended to datasets
-- of sinks. Adds the rows of one dataset together. One call merges row sets of at most p_pages pages in all (a p_pages
-- of less than 9 counts as 9); row sets of 10 or more pages are not merged and do not count. Effects whose row sets no
-- longer fit into this call become pending again, with 0 attempts. Rows are added once, because an effect is done in
-- the transaction that adds its rows. Returns for each effect that the caller still held whether it is done.
create or replace function tenuto.flush_sinks(p_owner text, p_ids bigint[], p_pages int default 100)
  returns table (id bigint, done boolean)
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_effects tenuto.outbox[] := array(select o::tenuto.outbox from tenuto._held_effects(p_owner, p_ids) o);
  v_fitting bigint[];
  v_rest tenuto.outbox[];
  v_group record;
begin
  v_fitting := array(
    select f.id
    from (
      select o.id, sum(case when r.pages < 10 then r.pages else 0 end) over (order by o.id) as pages
      from unnest(v_effects) o
      left join tenuto.row_sets r on r.org_id = o.org_id and r.location = o.payload ->> 'location') f
    where f.pages <= greatest(p_pages, 9));
  for v_group in   -- in the order of dataset versions, in which commits lock too
    select o.org_id, (o.payload ->> 'dag_version_id')::uuid as dag_version_id, array_agg(o order by o.id) as effects
    from unnest(v_effects) o
    where o.id = any (v_fitting)
    group by o.org_id, o.payload ->> 'dataset_version_id', o.payload ->> 'dag_version_id'
    order by o.org_id, o.payload ->> 'dataset_version_id', o.payload ->> 'dag_version_id'
  loop
    perform tenuto._flush_sink(v_group.org_id, v_group.dag_version_id, v_group.effects);
  end loop;
  v_rest := array(select o from unnest(v_effects) o where o.id <> all (v_fitting));
  perform tenuto._continue_effects(
    array(select o.id from unnest(v_rest) o order by o.id), array(select o.payload from unnest(v_rest) o order by o.id),
    '{}');
  return query
  select f, true from tenuto.finish_effects(p_owner, p_ids) f
  union all
  select o.id, false from unnest(v_rest) o;
end
$$;
