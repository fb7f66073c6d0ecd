-- A person is somebody in each org that knows them: what one org says of them is nothing to another. came_at is when they
-- first came in there; until then an org may know them without their knowing it.
alter table tenuto.users
  add column came_at timestamptz,
  drop constraint subject_is_unique_within_its_issuer,
  add constraint a_person_is_once_in_an_org unique (issuer, subject, org_id);

update tenuto.users set came_at = created_at;
