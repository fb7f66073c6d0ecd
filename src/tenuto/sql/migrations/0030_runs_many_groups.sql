-- Resource groups by the hash of their number: claims draw some of many at random, however sparse the numbers are.
create index ready_lanes_place_idx on tenuto.ready_lanes (route_id, hashint4(group_no), group_no);

-- The heaviest groups of an org, which claims serve always.
create index resource_groups_heavy_idx on tenuto.resource_groups (org_id, weight desc) where weight > 1;
