-- Returns the id after which a sweep continues: every row has its turn, and a call reads only a few of them.
create or replace function tenuto._sweep_position(p_sweep text)
  returns uuid
  language sql
  stable
as $$
  select coalesce(
    (select s.position from tenuto.sweep_positions s where s.sweep = p_sweep),
    '00000000-0000-0000-0000-000000000000');
$$;
