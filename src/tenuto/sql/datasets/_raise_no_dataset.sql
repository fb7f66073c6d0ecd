-- Raises TN001 for a dataset that does not exist. The hint has the name that was probably meant.
create or replace function tenuto._raise_no_dataset(p_org_id uuid, p_name text)
  returns void
  language plpgsql
  stable
as $$
begin
  perform tenuto._raise('TN001', format('no dataset %s', left(p_name, 128)),
    tenuto._did_you_mean(p_name, tenuto._known_datasets(p_org_id), 'list the datasets to see which exist'));
end
$$;
