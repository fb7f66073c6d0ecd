-- A persisted data object is not collected when nothing references it any more: only delete_object deletes it.
alter table tenuto.data_objects add column persisted boolean not null default false;
drop index tenuto.data_objects_age_idx;
create index data_objects_age_idx on tenuto.data_objects (created_at) where not persisted;
