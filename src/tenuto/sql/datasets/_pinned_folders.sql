-- Returns the committed folders of one input of a task, for _pin_inputs. With p_commit, this is the folder of that
-- commit. Otherwise, if the input has partitions and the task has one (p_partition is not null), these are the folders
-- of that partition, or, with p_map, of the partitions that p_map maps to it. In all other cases these are the folders
-- of all partitions. Also returns the partition or the map, if it was used. Returns at most 101 folders, in the order
-- of partition and commit. cursor: the newest commit among these folders.
create or replace function tenuto._pinned_folders(
  p_org_id uuid, p_version_id uuid, p_partition text, p_map jsonb, p_appends boolean, p_commit uuid,
  p_commit_key text, p_location text, p_fingerprint text,
  out count bigint, out locations jsonb, out fingerprint text, out partition text, out map jsonb, out cursor uuid)
  language plpgsql
  stable
as $$
begin
  if p_commit is not null then
    count := 1;
    locations := jsonb_build_array(p_location);
    fingerprint := p_fingerprint;
    partition := nullif(p_commit_key, '');
    cursor := p_commit;
    return;
  end if;
  partition := case when p_map is null then p_partition end;
  map := case when p_partition is not null then p_map end;
  if partition is not null and p_appends is not true then
    select 1, jsonb_build_array(v.location), v.fingerprint, v.id into count, locations, fingerprint, cursor
    from tenuto.current_partitions c
    join tenuto.partition_versions v on v.id = c.partition_version_id
    where c.org_id = p_org_id and c.dataset_version_id = p_version_id and c.partition_key = p_partition;
    count := coalesce(count, 0);
    locations := coalesce(locations, '[]');
    return;
  end if;
  select count(*), coalesce(jsonb_agg(c.location order by c.partition_key, c.id), '[]'),
         string_agg(c.fingerprint, ' ' order by c.partition_key, c.id), (array_agg(c.id order by c.id desc))[1]
  into count, locations, fingerprint, cursor
  from tenuto._committed_locations(p_org_id, p_version_id, partition, coalesce(p_appends, false), null, null, 101,
    p_map => map, p_target => p_partition) c;
  fingerprint := case when count = 1 then fingerprint
    when count between 2 and 100 then encode(sha256(convert_to(fingerprint, 'UTF8')), 'hex') end;
end
$$;
