import { useEffect, useState } from "react";

/** A value after it has stayed the same for a while, such as a text once the user stops typing. */
export function useLater<T>(value: T, milliseconds: number): T {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setLater(value), milliseconds);
    return () => window.clearTimeout(timer);
  }, [value, milliseconds]);
  return later;
}
