import { Link } from "@tanstack/react-router";

import { Empty } from "../ui/States";

export function NotFound() {
  return (
    <Empty title="There is no page at this address.">
      <Link to="/" className="underline">
        Open the overview
      </Link>
    </Empty>
  );
}
