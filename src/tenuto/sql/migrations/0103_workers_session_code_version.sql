-- The code version that a worker registered with belongs to that life of it: under the same id, the next one may run
-- other code, or none yet.
alter table tenuto.sessions
  add column code_version text,
  add constraint code_version_is_short check (length(code_version) <= 64);
