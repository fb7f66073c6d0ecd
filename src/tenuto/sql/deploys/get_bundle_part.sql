-- Returns the bytes of one part of a bundle; null after the last part.
create or replace function tenuto.get_bundle_part(p_org_id uuid, p_sha256 text, p_no int)
  returns bytea
  language sql
  stable
as $$
  select data from tenuto.bundle_parts where org_id = p_org_id and sha256 = p_sha256 and no = p_no;
$$;
