-- Returns true if the attempt has the outcome that a report with the end p_end gets: completed, failed, lost, snoozed,
-- interrupted, waiting or blocked, and the report came from the holder. A failure or loss after which the task is not
-- retried has the outcome failed. An attempt that was asked to stop is cancelled by each report but completed.
create or replace function tenuto._ended_as(p_attempt tenuto.task_attempts, p_end text)
  returns boolean
  language sql
  immutable
return p_attempt.reported
  and case p_end
    when 'completed' then p_attempt.outcome = 'completed' or tenuto._was_refused(p_attempt)
    when 'failed' then p_attempt.outcome in ('retrying', 'failed', 'cancelled')
    when 'lost' then p_attempt.outcome in ('lost', 'failed', 'cancelled')
    else p_attempt.outcome in (p_end, 'cancelled')
  end;
