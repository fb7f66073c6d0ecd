import { useState } from "react";

import { useAddMember, useMembers, useRemoveMember, useUsers } from "../../api/admin";
import type { Member, OrgRole } from "../../api/schema";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { SelectField } from "../../ui/Form";
import { Loaded } from "../../ui/States";
import { Time } from "../../ui/Time";
import { useAct } from "../../ui/toast";

/** The members of a role; an admin adds and removes them. */
export function Members({ role, mayWrite, close }: { role: OrgRole; mayWrite: boolean; close: () => void }) {
  const members = useMembers(role.name);
  return (
    <Dialog label={`Members of ${role.display_name}`} close={close}>
      <div className="flex flex-col gap-3 p-5">
        <h2 className="text-base font-semibold [overflow-wrap:anywhere]">Members of {role.display_name}</h2>
        <Loaded read={members}>
          {() => (
            <>
              {members.rows.length === 0 && <p className="text-sm text-muted">The role has no members.</p>}
              <ul className="max-h-[50vh] overflow-y-auto">
                {members.rows.map((member) => (
                  <Row key={member.user_id} role={role.name} member={member} mayWrite={mayWrite} />
                ))}
              </ul>
              {members.hasNextPage && <Button onClick={() => void members.fetchNextPage()}>Show more</Button>}
              {mayWrite && <Add role={role.name} members={members.rows} />}
            </>
          )}
        </Loaded>
        <div className="flex justify-end">
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}

function Row({ role, member, mayWrite }: { role: string; member: Member; mayWrite: boolean }) {
  const remove = useRemoveMember();
  const act = useAct();
  const name = member.name ?? member.email ?? member.user_id;
  const path = { name: role, user_id: member.user_id };
  return (
    <li className="flex items-center justify-between gap-3 border-b border-line py-1.5 text-sm last:border-0">
      <span className="min-w-0 truncate font-medium">{name}</span>
      <span className="flex items-center gap-3 text-xs text-muted">
        <Time at={member.since} />
        {mayWrite && (
          <Button
            aria-label={`Remove ${name}`}
            busy={remove.isPending}
            onClick={() => void act(() => remove.mutateAsync({ path }), `${name} no longer has the role ${role}.`)}
          >
            Remove
          </Button>
        )}
      </span>
    </li>
  );
}

function Add({ role, members }: { role: string; members: Member[] }) {
  const users = useUsers();
  const add = useAddMember();
  const act = useAct();
  const [userId, setUserId] = useState("");
  const has = new Set(members.map((member) => member.user_id));
  const options = users.rows
    .filter((user) => !has.has(user.id))
    .map((user) => [user.id, user.name ?? user.email ?? user.subject] as const);
  const submit = async () => {
    const path = { name: role, user_id: userId };
    if (await act(() => add.mutateAsync({ path }), `The user has the role ${role}.`)) setUserId("");
  };
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <SelectField
          label="Add a user"
          value={userId}
          options={[["", "choose a user"], ...options]}
          onChange={setUserId}
        />
      </div>
      <Button
        kind="primary"
        className="h-9"
        disabled={userId === ""}
        busy={add.isPending}
        onClick={() => void submit()}
      >
        Add
      </Button>
    </div>
  );
}
