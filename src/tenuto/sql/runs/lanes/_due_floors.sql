-- Returns the floors from which a loop reads its due rows. With p_keys, the loop reads exactly these rows, so the
-- floors are below all rows.
create or replace function tenuto._due_floors(p_keys text[] default null)
  returns tenuto.due_floors
  language plpgsql
  stable
as $$
declare
  v_floors tenuto.due_floors;
begin
  if p_keys is null then
    select f.* into v_floors from tenuto.due_floors f;
  end if;
  if v_floors.one is null then
    v_floors := ('-infinity', '-infinity', '-infinity', '-infinity', 0, true, '00000000-0000-0000-0000-000000000000')
      ::tenuto.due_floors;
  end if;
  return v_floors;
end
$$;
