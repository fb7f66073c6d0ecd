-- Resource groups by the hash of their number, only those with lanes that are not known to be empty: claims draw among
-- them. An index of all lanes was also taken to look up one lane, and then read all lanes of the route.
drop index tenuto.ready_lanes_place_idx;
create index ready_lanes_place_idx on tenuto.ready_lanes (route_id, hashint4(group_no), group_no) where empty_since is null;

-- What the resource groups run, for quotas. The default group has most tasks and hardly ever a quota: its tasks are not in
-- the index, which would make every claim 7 % dearer. Trait 16 (_grouped) says that a task is in another group.
create index running_tasks_group_idx on tenuto.running_tasks (group_no) where (traits & 16) > 0;
update tenuto.running_tasks r
set traits = r.traits | 16
from tenuto.resource_groups g
where g.no = r.group_no and g.external_id <> 'default';
