-- The name of a role for people; `name` is its slug.
alter table tenuto.org_roles
  add column display_name text,
  add constraint display_name_is_not_empty check (length(display_name) between 1 and 256);
