import { useContext } from "react";

import { useUsers } from "../api/admin";
import { Session, useMay } from "../api/session";
import { Copy, shortId } from "./Copy";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Who did something: the name of a user if the reader may know it, otherwise what was recorded. */
export function Person({ id }: { id: string | null }) {
  const me = useContext(Session);
  const isUser = id !== null && ID.test(id) && id !== me?.id;
  const users = useUsers(useMay("users:read") && isUser);
  if (id === null) return <span className="text-muted">–</span>;
  if (id === me?.id) return <>you</>;
  if (!isUser) return <>{id}</>;
  const user = users.rows.find((row) => row.id === id);
  return user === undefined ? <Copy text={id} shown={shortId(id)} /> : <>{user.name ?? user.email ?? user.subject}</>;
}
