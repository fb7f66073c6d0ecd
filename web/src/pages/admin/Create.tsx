import { useState } from "react";

import { useCreateRole, useCreateUser } from "../../api/admin";
import { Field, FormDialog, SelectField } from "../../ui/Form";

const PLATFORM_ROLES = [
  ["reader", "reader: can read"],
  ["writer", "writer: can also start and stop runs"],
  ["admin", "admin: can do everything in the org"],
] as const;

/** Registers a user by the identity that the issuer confirms when they log in. */
export function CreateUser({ close }: { close: () => void }) {
  const create = useCreateUser();
  const [issuer, setIssuer] = useState("");
  const [subject, setSubject] = useState("");
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<(typeof PLATFORM_ROLES)[number][0]>("reader");
  const submit = () => {
    const body = {
      issuer,
      subject,
      name: name === "" ? null : name,
      email: email === "" ? null : email,
      platform_role: role,
    };
    return create.mutateAsync({ body });
  };
  return (
    <FormDialog
      title="Create a user"
      about="The user logs in with this identity. You can change the role or disable the user."
      action="Create the user"
      done={`${name === "" ? subject : name} can log in.`}
      close={close}
      submit={submit}
    >
      <Field
        label="Issuer"
        type="url"
        required
        autoFocus
        placeholder="https://id.example"
        value={issuer}
        onChange={setIssuer}
      />
      <Field label="Subject" required value={subject} onChange={setSubject} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Name" value={name} onChange={setName} />
        <Field label="Email" type="email" value={email} onChange={setEmail} />
      </div>
      <SelectField label="Platform role" value={role} options={PLATFORM_ROLES} onChange={setRole} />
    </FormDialog>
  );
}

/** Creates a role of the org: datasets name the roles that read them. */
export function CreateRole({ close }: { close: () => void }) {
  const create = useCreateRole();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const body = { name, description: description === "" ? null : description };
  return (
    <FormDialog
      title="Create a role"
      about="A role lets its members read the datasets that name it."
      action="Create the role"
      done={`The role ${name} is created.`}
      close={close}
      submit={() => create.mutateAsync({ body })}
    >
      <Field label="Name" required autoFocus value={name} onChange={setName} />
      <Field label="Description" value={description} onChange={setDescription} />
    </FormDialog>
  );
}
