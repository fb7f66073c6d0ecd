-- Returns the inputs of a task as _task_slot_values does, for inputs that may be large. Returns {"$fetch": number of
-- inputs} if the inputs are larger than p_room bytes, or cannot be built. Uses the stored sizes. If values are
-- compressed, they are decompressed to be measured, until the total is too large.
create or replace function tenuto._large_slot_values(p_task_id uuid, p_room int)
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_count int;
  v_stored bigint;
  v_packed boolean;
  v_bytes bigint := 0;
  v_size int;
begin
  select count(*), sum(pg_column_size(s.value)), bool_or(s.packed)
  into v_count, v_stored, v_packed
  from tenuto._task_slots(p_task_id) s;
  -- Postgres compresses to 1/256 at best, so values that are stored in less than p_room / 256 bytes fit in any case.
  if v_packed and v_stored between p_room / 256 and p_room then
    for v_size in select octet_length(s.value::text) from tenuto._task_slots(p_task_id) s
    loop
      v_bytes := v_bytes + v_size;
      exit when v_bytes > p_room;
    end loop;
  end if;
  if greatest(coalesce(v_stored, 0), v_bytes) > p_room then
    return jsonb_build_object('$fetch', v_count);
  end if;
  return (
    select jsonb_agg(case when s.part is null then s.value else s.value -> s.part end order by s.slot_no)
    from tenuto._task_slots(p_task_id) s);
exception
  when others then
    return jsonb_build_object('$fetch', v_count);
end
$$;
