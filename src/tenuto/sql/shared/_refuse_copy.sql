-- Raises TN012 if the caller must not act on this database, because it is a copy of an installation (_copy_problem).
create or replace function tenuto._refuse_copy(p_installation text default null, p_store text default null)
  returns void
  language plpgsql
  stable
as $$
declare
  v_problem text := tenuto._copy_problem(p_installation, p_store);
begin
  if v_problem is not null then
    perform tenuto._raise('TN012', v_problem,
      'nothing runs here; `tenuto db adopt` makes a copy an installation of its own');
  end if;
end
$$;
