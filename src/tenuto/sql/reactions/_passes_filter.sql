-- Returns false if an event certainly has no row with the values that an input wants (where). If the data of the event
-- has a wanted column, compares the wanted value with the value in the data. Otherwise, if the dataset is partitioned
-- by the column, compares the wanted value with the partition key. All other columns pass here; the task checks them.
create or replace function tenuto._passes_filter(p_where jsonb, p_event tenuto.events, p_partition jsonb)
  returns boolean
  language sql
  immutable parallel safe
return not exists (
  select from jsonb_each_text(p_where) w
  where case
    when p_event.data ? w.key then p_event.data ->> w.key is distinct from w.value
    when p_partition ->> 'kind' = 'key' and p_partition ->> 'column' = w.key then p_event.partition_key <> w.value
    else false end);
