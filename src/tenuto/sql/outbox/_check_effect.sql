-- Raises TN003 for an effect of another kind than deliver or with a wrong payload, and TN001 for an unknown
-- destination. The payload of a deliver effect is {"destination": name, "body": JSON}.
create or replace function tenuto._check_effect(p_org_id uuid, p_kind text, p_payload jsonb, p_key text)
  returns void
  language plpgsql
as $$
declare
  v_sound boolean := case
    when jsonb_typeof(p_payload) = 'object' and p_payload ?& array['destination', 'body']
    then jsonb_typeof(p_payload -> 'destination') = 'string' and p_payload - 'destination' - 'body' = '{}'
    else false end;
begin
  if p_kind is distinct from 'deliver' then
    perform tenuto._raise('TN003', format('effects of the kind %L cannot be published', left(p_kind, 100)),
      'write deliver');
  end if;
  if not v_sound then
    perform tenuto._raise('TN003', 'the payload of a deliver effect is not {"destination": name, "body": JSON}');
  end if;
  perform tenuto._check_size('the payload of a deliver effect', p_payload);
  perform tenuto._check_name('the key of an effect', p_key, 512);
  perform from tenuto.destinations d where d.org_id = p_org_id and d.name = p_payload ->> 'destination';
  if not found then
    perform tenuto._raise('TN001', format('no destination %L', left(p_payload ->> 'destination', 100)),
      'an admin declares destinations');
  end if;
end
$$;
