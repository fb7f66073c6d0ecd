import { useState } from "react";

export type Theme = "light" | "dark";
const KEY = "tenuto-theme";

function preferred(): Theme {
  const stored = localStorage.getItem(KEY);
  if (stored === "light" || stored === "dark") return stored;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Applies the theme that the user chose last, or that the system prefers. */
export function applyTheme(theme: Theme = preferred()): void {
  document.documentElement.dataset.theme = theme;
  window.dispatchEvent(new Event("tenuto-theme"));
}

export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(preferred);
  const flip = () => {
    const next = theme === "dark" ? "light" : "dark";
    localStorage.setItem(KEY, next);
    applyTheme(next);
    setTheme(next);
  };
  return [theme, flip];
}
