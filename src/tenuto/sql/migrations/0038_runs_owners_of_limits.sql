-- Which queue a limit belongs to: worker keys of other queues cannot change it.
--   limits.queue        of the task that created it; null for limits from before this migration
--   arrivals.route_id   in the line of a limit: of a task that names the limit
alter table tenuto.limits add column queue text;

alter table tenuto.arrivals drop constraint arrival_is_in_a_lane_or_a_line;
alter table tenuto.arrivals add constraint arrival_is_in_a_lane_or_a_line check (
  case when limit_id is null then num_nonnulls(seq, route_id, group_no, priority) = 4
       else group_no is null and (seq is null) = (priority is null) end);

-- The key of a limit per value ends in "parameter=": a declaration finds its limits in one range of the index, and a
-- limit finds its declarations by the parts of its key that end in "=".
delete from tenuto.declared_limits where by_value and right(key, 1) <> '=';
alter table tenuto.declared_limits
  add constraint key_per_value_ends_before_the_value check (not by_value or right(key, 1) = '=');
create index limits_prefix_idx on tenuto.limits (org_id, scope, key text_pattern_ops);
