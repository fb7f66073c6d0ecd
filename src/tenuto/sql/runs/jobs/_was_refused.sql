-- Returns true if the attempt of a task has failed because its publications were wrong.
create or replace function tenuto._was_refused(p_task_id uuid, p_attempt int)
  returns boolean
  language sql
  stable
as $$
  select exists (
    select from tenuto.task_attempts a
    where a.task_id = p_task_id and a.end_no = 0 and a.attempt = p_attempt and a.reported
      and a.error ->> 'type' = 'PublicationRefused');
$$;
