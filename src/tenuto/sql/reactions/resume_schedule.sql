-- Resumes a paused schedule at p_next_at: times that passed during the pause are not fired. Does nothing if the
-- schedule is not paused.
create or replace function tenuto.resume_schedule(p_org_id uuid, p_name text, p_next_at timestamptz)
  returns void
  language plpgsql
as $$
begin
  update tenuto.schedules
  set next_at = case when paused_at is null then next_at else p_next_at end,
      paused_at = null
  where org_id = p_org_id
    and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no schedule %s', p_name), 'the list of schedules shows those there are');
  end if;
end
$$;
