-- Destinations that receive OpenLineage events, and destinations that are no URLs of receivers: files, and later other
-- ways to reach people. put_destination checks the whole URL; the constraint only says which schemes exist.
alter table tenuto.destinations add column openlineage boolean not null default false;
alter table tenuto.destinations drop constraint url_is_http;
alter table tenuto.destinations add constraint url_has_a_known_scheme
  check (url ~ '^(https?://|file:|mailto:|command:).' and octet_length(url) <= 2048);
create index destinations_openlineage_idx on tenuto.destinations (org_id) where openlineage;

-- The tasks of jobs among those that a batch completes.
alter type tenuto.ended add attribute jobs uuid[];
