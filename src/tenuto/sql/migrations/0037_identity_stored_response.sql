-- The response that a repeated request gets is called a response, as in HTTP.
alter table tenuto.idempotency_keys rename column answer to response;
