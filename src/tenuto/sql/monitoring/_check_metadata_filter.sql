-- Raises TN003 for a metadata filter that is not a JSON object with at least one key. Also raises TN003 if the filter
-- is combined with p_after (oldest first), or with the filter p_other, which finds rows by its own index. Null is
-- accepted.
create or replace function tenuto._check_metadata_filter(p_metadata jsonb, p_after uuid, p_other text)
  returns void
  language plpgsql
  stable
as $$
begin
  if p_metadata is null then
    return;
  elsif jsonb_typeof(p_metadata) <> 'object' or p_metadata = '{}' then
    perform tenuto._raise('TN003', 'the filter by metadata is not a JSON object with at least one key',
      'write the keys and values that the metadata contains: {"team": "bi"}');
  elsif p_after is not null then
    perform tenuto._raise('TN003', 'a filter by metadata cannot be combined with after',
      'such a list is newest first: pass before, the last id of the previous page');
  elsif p_other is not null then
    perform tenuto._raise('TN003', format('metadata cannot be combined with %s', p_other),
      format('leave out metadata: %s finds few rows', p_other));
  end if;
end
$$;
