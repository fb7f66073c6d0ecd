-- Returns an org's newest runs (p_kind run) or tasks (task) whose metadata contains p_metadata, with ids from p_first
-- to before p_before: at most p_limit. First reads the newest 2,000 rows: a value that many rows have is found there.
-- Then searches the index. The index returns rows in no order, so the search goes back in steps of periods (_period).
-- Each step searches twice as many periods as the step before, or fewer if more than 5,000 rows match. So a page costs
-- little, whether the rows that match are new or old, few or many. Ids whose period is not between 400 days ago and
-- tomorrow, such as ids that are not UUIDv7s, are searched in the whole index at once.
create or replace function tenuto._newest_with_metadata(
  p_kind text, p_org_id uuid, p_metadata jsonb, p_first uuid, p_before uuid, p_limit int)
  returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_recent record := tenuto._recent_with_metadata(p_kind, p_org_id, p_metadata, p_first, p_before, 2000);
  v_ids uuid[] := v_recent.ids;
  v_last uuid := v_recent.last;
  v_period int := (tenuto._period(v_last))[1];
  v_count int := 1;   -- periods per step; null: all ids
  v_max_count int := 2048;
  v_most constant int := greatest(5000, p_limit);
  v_first constant uuid := greatest(p_first,
    case p_kind when 'run' then (select r.id from tenuto.runs r order by r.id limit 1)
                else (select t.id from tenuto.tasks t order by t.id limit 1) end);
  v_oldest constant int := (tenuto._period(tenuto._uuid7_floor(tenuto.now() - interval '400 days')))[1];
  v_newest constant int := (tenuto._period(tenuto._uuid7_floor(tenuto.now() + interval '1 day')))[1];
  v_periods int[];
  v_from uuid;
  v_found record;
begin
  while v_last > v_first and cardinality(v_ids) < p_limit
  loop
    v_count := case when v_period between v_oldest and v_newest
                    then least(
                      coalesce(v_count, 1),
                      v_period - greatest(v_oldest, (tenuto._period(v_first))[1]) + 1) end;
    v_periods := case when v_count is not null
                      then array(select generate_series(v_period - v_count + 1, v_period)) end;
    v_from := (lpad(to_hex(v_periods[1] << 4), 8, '0') || '-0000-0000-0000-000000000000')::uuid;
    if p_kind = 'run' then
      v_found := tenuto._runs_with_metadata(
        p_org_id, p_metadata, greatest(p_first, v_from), v_last, v_periods, v_most);
    else
      v_found := tenuto._tasks_with_metadata(
        p_org_id, p_metadata, greatest(p_first, v_from), v_last, v_periods, v_most);
    end if;
    if not v_found.complete and v_count > 1 then
      v_max_count := greatest(1, v_count / 16);
      v_count := v_max_count;
    elsif not v_found.complete then   -- so many rows match that the next one is near
      v_recent := tenuto._recent_with_metadata(p_kind, p_org_id, p_metadata, p_first, v_last, 10000);
      v_ids := v_ids || v_recent.ids;
      v_last := v_recent.last;
      v_period := (tenuto._period(v_last))[1];
    else
      v_ids := v_ids || array(select i from unnest(v_found.ids) i order by i desc limit p_limit - cardinality(v_ids));
      exit when v_count is null;
      v_last := v_from;
      v_period := v_period - v_count;
      v_count := least(v_max_count, 2 * v_count);
    end if;
  end loop;
  return v_ids[1:p_limit];
end
$$;
