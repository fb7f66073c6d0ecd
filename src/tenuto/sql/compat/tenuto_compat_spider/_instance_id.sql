-- Returns the UUID of one attempt of a task, which Spider calls a task instance.
create or replace function tenuto_compat_spider._instance_id(p_task_id uuid, p_attempt int)
  returns uuid
  language sql
  immutable parallel safe
return md5(p_task_id || ' ' || p_attempt)::uuid;
