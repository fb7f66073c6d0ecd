-- Raises an error for a mismatch between code and recorded steps that block_tasks cannot store: TN003 if its form is
-- wrong, TN007 if it is over 1 MB.
create or replace function tenuto._check_mismatch(p_mismatch jsonb)
  returns void
  language plpgsql
as $$
begin
  if jsonb_typeof(p_mismatch) is distinct from 'object'
     or jsonb_typeof(p_mismatch -> 'step_no') is distinct from 'number'
     or p_mismatch ->> 'step_no' !~ '^[0-9]{1,10}$'
     or (p_mismatch ->> 'step_no')::numeric > 2147483647
     or jsonb_typeof(p_mismatch -> 'expected') is distinct from 'string'
     or jsonb_typeof(p_mismatch -> 'found') is distinct from 'string'
  then
    perform tenuto._raise('TN003', format('%s is not a mismatch', left(p_mismatch::text, 200)),
      'write {"step_no": 2, "expected": "step ''charge''", "found": "sleep"}');
  end if;
  perform tenuto._check_keys('a mismatch', p_mismatch, array['step_no', 'expected', 'found']);
  perform tenuto._check_size('a mismatch', p_mismatch);
end
$$;
