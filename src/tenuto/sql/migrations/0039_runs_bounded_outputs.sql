-- The output of a run; omitted: there is one, too large for one value.
create type tenuto.run_output as (output jsonb, omitted boolean);
