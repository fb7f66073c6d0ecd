-- The size with which a limit of more than 1,000 slots had none left when it was last filled, if no slot has become free
-- since: while it is the size of the limit, nobody has to count the slots. Else null.
alter table tenuto.limits add column full_size int;
