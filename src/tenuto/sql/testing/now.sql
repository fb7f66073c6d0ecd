-- Returns the time of a test database: `set tenuto.fake_now = '…'` stops the clock at that time.
create or replace function tenuto.now()
  returns timestamptz
  language sql
  stable parallel safe
return coalesce(nullif(current_setting('tenuto.fake_now', true), '')::timestamptz, statement_timestamp());
