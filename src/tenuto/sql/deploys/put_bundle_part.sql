-- Adds one part of a bundle. Parts have 1 MB each; the last one may be shorter. They are numbered from 0.
create or replace function tenuto.put_bundle_part(p_org_id uuid, p_sha256 text, p_no int, p_data bytea)
  returns void
  language sql
as $$
  insert into tenuto.bundle_parts (org_id, sha256, no, data) values (p_org_id, p_sha256, p_no, p_data);
$$;
