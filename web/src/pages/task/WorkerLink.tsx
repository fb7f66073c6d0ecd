import { Link } from "@tanstack/react-router";

/** The worker of an attempt, as a link to its page. */
export function WorkerLink({ id }: { id: string }) {
  return (
    <Link to="/workers/$name" params={{ name: id }} className="underline">
      {id}
    </Link>
  );
}
