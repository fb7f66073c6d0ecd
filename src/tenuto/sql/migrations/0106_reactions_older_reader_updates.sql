-- A cutover before the last one was passed on to the readers in other DAGs: they may have read any of several versions.
alter table tenuto.reader_updates add column old_version_ids uuid[];   -- null in it: no version was current
update tenuto.reader_updates set old_version_ids = array[old_version_id];
alter table tenuto.reader_updates
  alter column old_version_ids set not null,
  drop column old_version_id;
