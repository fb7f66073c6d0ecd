-- Checks the options of a start and returns the row of its run.
create or replace function tenuto._read_run(p_org_id uuid, p_run jsonb)
  returns tenuto.runs
  language plpgsql
as $$
declare
  v_run tenuto.runs;
  v_deadline float8;
  v_expires float8;
begin
  perform tenuto._check_keys('a run', p_run,
    array['id', 'name', 'group', 'dedupe_key', 'max_attempts', 'input', 'metadata', 'outputs', 'deadline_seconds',
          'expires_seconds', 'hold']);
  begin
    v_run.id := (p_run ->> 'id')::uuid;
    v_run.max_attempts := coalesce((p_run ->> 'max_attempts')::int, 1);
    v_deadline := (p_run ->> 'deadline_seconds')::float8;
    v_expires := (p_run ->> 'expires_seconds')::float8;
  exception when data_exception or invalid_text_representation then
    perform tenuto._raise('TN003', format('run: %s', sqlerrm));
  end;
  if v_run.max_attempts not between 1 and 100 then
    perform tenuto._raise('TN003', format('max_attempts of the run is %s, not 1 to 100', v_run.max_attempts));
  end if;
  if not (coalesce(v_deadline, 1) > 0 and coalesce(v_deadline, 1) <= 315360000   -- rejects NaN, infinity
          and coalesce(v_expires, 1) > 0 and coalesce(v_expires, 1) <= 315360000) then
    perform tenuto._raise('TN003',
      format('deadline_seconds of the run is %s and expires_seconds %s', coalesce(p_run ->> 'deadline_seconds', 'null'),
             coalesce(p_run ->> 'expires_seconds', 'null')),
      'write more than 0 and at most 315360000 seconds (10 years)');
  end if;
  if jsonb_typeof(p_run -> 'hold') not in ('boolean', 'null') then
    perform tenuto._raise('TN003', format('hold of the run is %s', left(p_run ->> 'hold', 200)), 'write true or false');
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
