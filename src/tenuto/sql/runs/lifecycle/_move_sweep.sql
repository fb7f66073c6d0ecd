-- Moves a sweep behind the rows that it has looked at, or back to the first row if there are no more.
create or replace function tenuto._move_sweep(p_sweep text, p_page uuid[], p_limit int)
  returns void
  language plpgsql
as $$
declare
  v_position uuid := case when cardinality(p_page) = p_limit then p_page[p_limit]
                          else '00000000-0000-0000-0000-000000000000' end;
begin
  if v_position <> tenuto._sweep_position(p_sweep) then
    insert into tenuto.sweep_positions as s (sweep, position) values (p_sweep, v_position)
    on conflict (sweep) do update set position = excluded.position;
  end if;
end
$$;
