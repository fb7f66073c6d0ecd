-- Returns the id of a task's copy: a UUIDv7 that begins like p_base, with the same time. The rest is a hash of p_base
-- and the task's id. So a run that is copied in several transactions needs no table of old and new ids: under base
-- 0194a0b1-c2d3-7abc-9… the copy of one task is always the same 0194a0b1-c2d3-7abc-8xxx-xxxxxxxxxxxx.
create or replace function tenuto._copy_id(p_base uuid, p_old uuid)
  returns uuid
  language sql
  immutable parallel safe
return (left(p_base::text, 19) || '8' || left(md5(p_base::text || p_old::text), 15))::uuid;
