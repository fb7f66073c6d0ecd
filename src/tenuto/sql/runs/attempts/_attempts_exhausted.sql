-- Returns true if a task has no attempts left. Losses count against max_attempts too, unless max_losses sets a separate
-- maximum for them.
create or replace function tenuto._attempts_exhausted(
  p_failures int, p_losses int, p_max_attempts int, p_max_losses int)
  returns boolean
  language sql
  immutable parallel safe
return case
  when p_max_losses is null then p_failures + p_losses >= p_max_attempts
  else p_failures >= p_max_attempts or p_losses >= p_max_losses
end;
