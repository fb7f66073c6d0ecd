-- Returns a random sample of resource groups, with the chance that each group had of being sampled. The groups have
-- lanes on these routes that are not marked as empty (move_floors marks empty lanes). Returns all such groups if there
-- are at most 8. Groups are placed on a circle of 2^32 places by the hash of their number. Each draw takes the first 8
-- groups after a random place. So a group is drawn if the random place lies between the 8th group before it and the
-- group itself. Its chance per draw is the length of this arc divided by 2^32. With 4,000 groups this is about 8 in
-- 4,000, however sparse their numbers are.
create or replace function tenuto._sample_groups(p_routes int[], p_draws int, out groups int[], out chances float8[])
  language plpgsql
  stable
as $$
declare
  v_place int;
  v_ahead int[];
  v_behind int[];
begin
  for v_draw in 1..p_draws
  loop
    v_place := floor(random() * 4294967296 - 2147483648)::int;
    v_ahead := tenuto._groups_around(p_routes, v_place, 9, true);
    if cardinality(v_ahead) < 9 then
      groups := v_ahead;
      chances := array_fill(1::float8, array[cardinality(groups)]);
      return;
    end if;
    v_behind := tenuto._groups_around(p_routes, v_place, 8, false);
    select array_agg(d.group_no), array_agg(d.chance)
    into groups, chances
    from (
      select s.group_no, min(s.chance) as chance
      from (
        select a.group_no,
               least(1, p_draws * ((a.place - b.place + 4294967296) % 4294967296 + 1)::float8 / 4294967296) as chance
        from (
          select n.no, n.g as group_no, hashint4(n.g)::bigint as place
          from unnest(v_ahead[1:8]) with ordinality n(g, no)) a
        join (select 9 - n.no as no, hashint4(n.g)::bigint as place from unnest(v_behind) with ordinality n(g, no)) b
          on b.no = a.no
        union all
        select u.group_no, u.chance from unnest(groups, chances) u(group_no, chance)
      ) s
      group by 1
    ) d;
  end loop;
end
$$;
