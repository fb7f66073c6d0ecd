-- Returns the row of a run from the options of its start, checked.
create or replace function tenuto._read_run(p_org_id uuid, p_run jsonb)
  returns tenuto.runs
  language plpgsql
as $$
declare
  v_run tenuto.runs;
begin
  perform tenuto._check_keys('a run', p_run,
    array['id', 'name', 'group', 'dedupe_key', 'max_attempts', 'input', 'metadata', 'outputs']);
  begin
    v_run.id := (p_run ->> 'id')::uuid;
    v_run.max_attempts := coalesce((p_run ->> 'max_attempts')::int, 1);
  exception when data_exception or invalid_text_representation then
    perform tenuto._raise('TN003', format('run: %s', sqlerrm));
  end;
  if v_run.max_attempts not between 1 and 100 then
    perform tenuto._raise('TN003', format('max_attempts of the run is %s, not 1 to 100', v_run.max_attempts));
  end if;
  perform tenuto._check_name('the name of the run', p_run ->> 'name');
  perform tenuto._check_size('the input of the run', p_run -> 'input');
  perform tenuto._check_size('the metadata of the run', p_run -> 'metadata');
  perform tenuto._check_size('the list of the run''s outputs', p_run -> 'outputs');
  v_run.org_id := p_org_id;
  v_run.group_no := tenuto._group_no(p_org_id, p_run ->> 'group');
  v_run.name := p_run ->> 'name';
  v_run.attempt := 1;
  v_run.handlers := 0;
  v_run.input := p_run -> 'input';
  v_run.metadata := p_run -> 'metadata';
  v_run.created_at := tenuto.now();
  return v_run;
end
$$;
