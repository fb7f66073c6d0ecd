-- The rights to the tables that deploys create for the rows of datasets. Attempts insert and read rows. Dispatchers
-- also delete rows that were never committed.
revoke all on schema tenuto_data from public;
grant usage on schema tenuto_data to tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_backup;
alter default privileges in schema tenuto_data
  grant select, insert on tables to tenuto_api, tenuto_worker;
alter default privileges in schema tenuto_data
  grant select, insert, delete on tables to tenuto_dispatcher;
alter default privileges in schema tenuto_data
  grant select on tables to tenuto_backup;
