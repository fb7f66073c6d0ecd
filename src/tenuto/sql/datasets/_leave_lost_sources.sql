-- Gives jobs of a new version other hashes if data with their hashes was computed from lost datasets (_lost_sources),
-- so that this data is not used again. Repeats this until the hash of a job has no such data, because data with its new
-- hash may have been computed from a lost dataset too.
create or replace function tenuto._leave_lost_sources(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language sql
as $$
  with recursive left_hashes as materialized (
    select l.config_hash, tenuto._next_hash(l.config_hash, l.lost) as next_hash
    from tenuto._lost_sources(p_org_id, p_dag_id) l
  ), steps as (
    select j.id, l.next_hash
    from tenuto.jobs j
    join left_hashes l on l.config_hash = j.config_hash
    where j.org_id = p_org_id and j.dag_version_id = p_version_id
    union all
    select s.id, l.next_hash
    from steps s
    join left_hashes l on l.config_hash = s.next_hash
  )
  select tenuto._set_job_hash(p_org_id, s.id, s.next_hash)
  from steps s
  where s.next_hash not in (select l.config_hash from left_hashes l);
$$;
