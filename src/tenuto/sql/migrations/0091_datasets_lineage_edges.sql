-- One edge of a lineage graph, between columns of dataset versions; '' for a whole version.
create type tenuto.lineage_edge as (
  from_version uuid,
  from_column  text,
  to_version   uuid,
  to_column    text,
  kind         text,
  subtype      text,
  method       text,
  confidence   text,
  stale        boolean
);
