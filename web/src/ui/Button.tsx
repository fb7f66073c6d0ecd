import type { ButtonHTMLAttributes, ReactNode } from "react";

type Kind = "primary" | "plain" | "danger";

const LOOKS: Record<Kind, string> = {
  primary: "bg-accent text-on-accent border-transparent hover:opacity-90",
  plain: "bg-panel border-line text-text hover:bg-raised",
  danger: "bg-panel border-line text-bad hover:bg-bad-soft",
};

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  busy?: boolean;
  children: ReactNode;
}

export function Button({ kind = "plain", busy = false, className = "", children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      disabled={disabled === true || busy}
      aria-busy={busy}
      className={`inline-flex h-8 items-center gap-1.5 rounded-md border px-3 text-sm font-medium whitespace-nowrap
        disabled:opacity-50 ${LOOKS[kind]} ${className}`}
      {...rest}
    >
      {children}
    </button>
  );
}
