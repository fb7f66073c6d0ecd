-- Returns the shares of groups. The share of a group with a quota is reduced to the number of tasks that it can still
-- run; groups without a share are left out. The running tasks of a group with a quota are counted under the row lock of
-- the group, so that the group never exceeds its quota. A group whose row another claim has locked gets no share.
create or replace function tenuto._apply_quotas(
  p_groups int[], p_shares int[], p_tops int[], out groups int[], out shares int[], out tops int[])
  language plpgsql
as $$
declare
  v_counted int[] := array(
    select g.no from tenuto.resource_groups g
    where g.no = any (p_groups) and g.quota is not null
    order by g.no
    for no key update skip locked);
begin
  -- A second statement: its snapshot is newer than the locks, so it sees the claims of the transactions that held them
  -- before. Running tasks of the default group are not in the index (_grouped) and are counted in one scan of all
  -- running tasks.
  select array_agg(s.no order by s.turn), array_agg(s.share order by s.turn), array_agg(s.top order by s.turn)
  into groups, shares, tops
  from (
    select c.no, c.turn, c.top,
           case
             when g.quota is null then c.share
             when g.external_id = 'default'
               then least(c.share, g.quota - (select count(*) from tenuto.running_tasks r where r.group_no = g.no))
             else least(c.share, g.quota - (
               select count(*) from tenuto.running_tasks r where r.group_no = g.no and tenuto._grouped(r.flags)))
           end as share
    from unnest(p_groups, p_shares, p_tops) with ordinality c(no, share, top, turn)
    join tenuto.resource_groups g on g.no = c.no
    where g.quota is null or c.no = any (v_counted)
  ) s
  where s.share > 0;
end
$$;
