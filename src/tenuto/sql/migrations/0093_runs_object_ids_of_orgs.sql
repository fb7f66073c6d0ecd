-- The id of a data object is unique within its org, so that storing one under an id that another org uses succeeds and
-- does not reveal it.
alter table tenuto.data_locality
  drop constraint locality_belongs_to_an_object,
  drop constraint data_locality_pkey,
  add primary key (org_id, object_id, address);
drop index tenuto.data_locality_object_idx;
drop index tenuto.data_locality_hard_idx;
alter table tenuto.data_references
  drop constraint reference_is_to_an_object,
  drop constraint data_references_pkey,
  add primary key (org_id, object_id, holder, holder_id);
drop index tenuto.data_references_object_idx;
alter table tenuto.data_objects
  drop constraint object_belongs_to_its_org,
  drop constraint data_objects_pkey,
  add primary key (org_id, id);
alter table tenuto.data_locality
  add constraint locality_belongs_to_an_object foreign key (org_id, object_id)
    references tenuto.data_objects (org_id, id) on delete cascade;
alter table tenuto.data_references
  add constraint reference_is_to_an_object foreign key (org_id, object_id) references tenuto.data_objects (org_id, id);
