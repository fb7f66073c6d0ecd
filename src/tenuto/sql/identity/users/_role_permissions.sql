-- Returns the permissions of a platform role. They are the same as in model/permissions.py; a test compares both.
create or replace function tenuto._role_permissions(p_platform_role text)
  returns text[]
  language sql
  immutable
as $$
  select case p_platform_role
    when 'admin' then array['*']
    else array(
      select thing || ':read'
      from unnest('{lineage,status,runs,tasks,data,queues,schedules,objects,bundles,workers,pools,outbox,dags,jobs,'
        'events,backfills,alerts,datasets,query,roles,orgs,groups}'::text[]) thing)
      || case when p_platform_role = 'writer'
              then array(
                select thing || ':write'
                from unnest('{runs,tasks,data,queues,schedules,objects,bundles,dags,jobs}'::text[]) thing)
              else '{}' end
    end;
$$;
