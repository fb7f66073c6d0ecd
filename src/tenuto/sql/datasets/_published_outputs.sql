-- Returns the outputs that a DAG version publishes, each with its dataset, if that exists. This is the dataset with the
-- name of the output. If there is none, it is this DAG's dataset with the old name (renamed_from), unless this version
-- publishes the old name too. The returned config_hash is a hash of the job's config_hash and the position of the
-- output, so that outputs of the same job differ.
create or replace function tenuto._published_outputs(p_org_id uuid, p_version_id uuid)
  returns table (name text, job_key uuid, output int, config_hash text, schema_hash text, storage jsonb,
    dataset_id uuid)
  language sql
  stable
as $$
  with outputs as (
    select j.job_key, j.config_hash, (o.no - 1)::int as output, o.value ->> 'dataset' as name,
           o.value ->> 'renamed_from' as renamed_from, o.value ->> 'schema_hash' as schema_hash,
           o.value -> 'storage' as storage, v.dag_id
    from tenuto.jobs j
    join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
    cross join lateral jsonb_array_elements(j.definition -> 'outputs') with ordinality o(value, no)
    where j.org_id = p_org_id and j.dag_version_id = p_version_id
      and o.value ->> 'dataset' is not null
  )
  select o.name, o.job_key, o.output, encode(sha256(convert_to(o.config_hash || ':' || o.output, 'UTF8')), 'hex'),
         o.schema_hash, o.storage, coalesce(s.id, r.id)
  from outputs o
  left join tenuto.datasets s on s.org_id = p_org_id and s.name = o.name and s.deleted_at is null
  left join tenuto.datasets r on r.org_id = p_org_id and r.name = o.renamed_from and r.dag_id = o.dag_id
   and r.deleted_at is null and s.id is null
   and not exists (select from outputs p where p.name = o.renamed_from)
$$;
