-- Returns a hint for a function that no app declares: the most similar one of up to 200 functions that workers of the
-- org, or the app of the caller (p_functions), have declared. Functions of the same app, and functions with the same
-- name in other apps, are compared first.
create or replace function tenuto._suggest_function(p_org_id uuid, p_function text, p_functions text[])
  returns text
  language sql
  stable
as $$
  select tenuto._did_you_mean(p_function, array(
      select n.name
      from (
        select case when starts_with(t.type, 'tenuto.python.') then substr(t.type, 15) else t.type end as name
        from tenuto.task_types t
        where t.org_id = p_org_id
        union
        select f from unnest(p_functions) f) n
      order by split_part(n.name, '.', 1) <> split_part(p_function, '.', 1)
                 and split_part(n.name, '.', -1) <> split_part(p_function, '.', -1),
               n.name
      limit 200),
    'start a worker whose app declares it with @app.job, or deploy with --app module:app');
$$;
