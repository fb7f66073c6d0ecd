import { useContext, useState } from "react";

import { useEditUser, useRoles, useUsers } from "../../api/admin";
import type { EditUserRequest, OrgRole, User } from "../../api/schema";
import { Session, useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { useAct } from "../../ui/toast";
import { CreateRole, CreateUser } from "./Create";
import { Members } from "./Members";

const ROLES: Column<OrgRole>[] = [
  { name: "Role", cell: (role) => <span className="font-medium">{role.display_name}</span> },
  { name: "Description", cell: (role) => role.description ?? "–", wide: true },
  { name: "Members", cell: (role) => role.members, numeric: true },
  { name: "Created", cell: (role) => <Time at={role.created_at} />, wide: true },
  { name: "Actions", cell: (role) => <MembersButton role={role} /> },
];

function MembersButton({ role }: { role: OrgRole }) {
  const [open, setOpen] = useState(false);
  const mayWrite = useMay("roles:write");
  return (
    <>
      <Button onClick={() => setOpen(true)}>Members</Button>
      {open && <Members role={role} mayWrite={mayWrite} close={() => setOpen(false)} />}
    </>
  );
}

const COLUMNS: Column<User>[] = [
  { name: "User", cell: (user) => <span className="font-medium">{user.name ?? user.email ?? user.subject}</span> },
  { name: "Email", cell: (user) => user.email ?? "–", wide: true },
  { name: "Issuer", cell: (user) => <span className="text-xs">{user.issuer}</span>, wide: true },
  { name: "State", cell: (user) => <StatusBadge status={user.disabled_at === null ? "active" : "disabled"} /> },
  { name: "Platform role", cell: (user) => <RoleChoice user={user} /> },
  { name: "Roles", cell: (user) => user.roles.join(", ") || "–", wide: true },
  { name: "Actions", cell: (user) => <DisableButton user={user} /> },
];

export function Users() {
  const users = useUsers();
  const roles = useRoles();
  const [creating, setCreating] = useState<"user" | "role" | null>(null);
  const mayWriteUsers = useMay("users:write");
  const mayWriteRoles = useMay("roles:write");
  return (
    <>
      <Panel
        title="Users"
        flush
        aside={mayWriteUsers && <Button onClick={() => setCreating("user")}>Create a user</Button>}
      >
        <Loaded read={users}>
          {() => (
            <DataTable
              label="Users"
              rows={users.rows}
              columns={COLUMNS}
              rowKey={(user) => user.id}
              more={{ has: users.hasNextPage, busy: users.isFetchingNextPage, load: users.fetchNextPage }}
              empty={<Empty title="There are no users." command="tenuto users add --issuer URL --subject SUBJECT" />}
            />
          )}
        </Loaded>
      </Panel>
      <Panel
        title="Roles of the org"
        flush
        aside={mayWriteRoles && <Button onClick={() => setCreating("role")}>Create a role</Button>}
      >
        <Loaded read={roles}>
          {(found) => (
            <DataTable
              label="Roles"
              rows={found.items}
              columns={ROLES}
              rowKey={(role) => role.id}
              empty={<Empty title="There are no roles yet." command="tenuto roles create NAME" />}
            />
          )}
        </Loaded>
      </Panel>
      {creating === "user" && <CreateUser close={() => setCreating(null)} />}
      {creating === "role" && <CreateRole close={() => setCreating(null)} />}
    </>
  );
}

function useEdit(user: User) {
  const edit = useEditUser();
  const act = useAct();
  return (body: EditUserRequest, done: string) =>
    act(() => edit.mutateAsync({ path: { user_id: user.id }, body }), done);
}

const MEANINGS = {
  reader: "can read",
  writer: "can also start and stop runs",
  admin: "can do everything in the org",
} as const;

function RoleChoice({ user }: { user: User }) {
  const edit = useEdit(user);
  const confirm = useConfirm();
  const name = user.name ?? user.email ?? user.subject;
  const own = useContext(Session)?.id === user.id;
  const choose = async (role: keyof typeof MEANINGS) => {
    const agreed = await confirm({
      title: `Make ${name} a ${role}?`,
      happens: `From now on, ${name} ${MEANINGS[role]}.`,
      undo: "You can choose another role at any time.",
      action: `Make ${role}`,
    });
    if (agreed) await edit({ platform_role: role }, `${name} is now a ${role}.`);
  };
  return (
    <select
      aria-label={`Platform role of ${name}`}
      value={user.platform_role}
      disabled={own}
      title={own ? "You cannot change your own role" : undefined}
      onChange={(event) => void choose(event.target.value as keyof typeof MEANINGS)}
      className="h-8 rounded-md border border-line bg-panel px-2 text-sm disabled:opacity-60"
    >
      {Object.keys(MEANINGS).map((role) => (
        <option key={role}>{role}</option>
      ))}
    </select>
  );
}

function DisableButton({ user }: { user: User }) {
  const edit = useEdit(user);
  const confirm = useConfirm();
  const name = user.name ?? user.email ?? user.subject;
  if (useContext(Session)?.id === user.id) return <span className="text-muted">you</span>;
  const ask = async () => {
    const agreed = await confirm({
      title: `Disable ${name}?`,
      happens: "All logins of the user end now, and the user cannot log in.",
      undo: "You can enable the user again; the roles are kept.",
      action: "Disable the user",
      danger: true,
    });
    if (agreed) await edit({ disabled: true }, `${name} is disabled.`);
  };
  return user.disabled_at === null ? (
    <Button kind="danger" onClick={() => void ask()}>
      Disable
    </Button>
  ) : (
    <Button onClick={() => void edit({ disabled: false }, `${name} is enabled.`)}>Enable</Button>
  );
}
