-- Records a problem in the control of a pool, for `pools explain` and `doctor`. Null means that the problem is over.
create or replace function tenuto.note_pool_problem(p_org_id uuid, p_pool_id uuid, p_problem text default null)
  returns void
  language sql
as $$
  update tenuto.pools p
  set problem = tenuto._truncate_text(p_problem, 1024),
      problem_at = case when p_problem is not null then tenuto.now() end,
      problems = case when p_problem is null then 0 else p.problems + 1 end
  where p.org_id = p_org_id
    and p.id = p_pool_id
    and (p_problem is not null or p.problem is not null);
$$;
