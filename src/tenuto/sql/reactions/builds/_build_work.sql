-- Returns the work that a build has now: its own tasks, and the updates of readers in other DAGs. Each of the two kinds
-- of work has the key under which it is parked. In the phases `follow` (waits until the tasks have ended) and `cancel`,
-- the work on the build's own tasks begins only after the last update of readers. This work can end the build, and the
-- updates of an ended build would not be due any more.
create or replace function tenuto._build_work(p_build tenuto.builds)
  returns table (key text, readers boolean)
  language sql
  stable
as $$
  select p_build.dag_version_id::text || case when w.readers then ':readers' else '' end, w.readers
  from (select exists (
          select from tenuto.reader_updates u where u.dag_version_id = p_build.dag_version_id) as found) u
  cross join (values (false), (true)) w(readers)
  where case when w.readers then u.found else not u.found or p_build.phase not in ('follow', 'cancel') end;
$$;
