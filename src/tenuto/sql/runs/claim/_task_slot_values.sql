-- Returns the inputs of a task by position: values, objects as {"$object": id}, and the outputs of other tasks. If the
-- inputs are larger than p_room bytes, or cannot be built, returns {"$fetch": number of inputs}; the attempt then gets
-- them one by one from get_inputs. In this way, one task never makes the claim of other tasks fail (jsonb_agg raises an
-- error over 256 MB). Postgres compresses to 1/256 at best: compressed inputs of less than p_room / 256 bytes fit in
-- any case. The settings force index lookups: a plan that was made while the tables were empty is used for as long as
-- the connection lives.
create or replace function tenuto._task_slot_values(p_task_id uuid, p_room int)
  returns jsonb
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
as $$
begin
  return (
    select case
             when coalesce(bool_and(s.fits), p_room >= 0) then
               jsonb_agg(case when s.part is null then s.value else s.value -> s.part end order by s.slot_no)
                 filter (where s.fits)
             else tenuto._large_slot_values(p_task_id, p_room)
           end
    from (
      select s.slot_no, s.value, s.part,
             coalesce(sum(pg_column_size(s.value)) over (), 0)
               < case when bool_or(s.packed) over () then p_room / 256 else p_room + 1 end as fits
      from tenuto._task_slots(p_task_id) s
    ) s);
end
$$;
