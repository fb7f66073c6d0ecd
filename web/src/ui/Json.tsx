import { Copy } from "./Copy";

const MAX_CHARS = 200_000;

/** A value as indented JSON; strings of several lines as they are. */
export function Json({ value, none = "nothing" }: { value: unknown; none?: string }) {
  if (value === null || value === undefined) return <p className="text-sm text-muted">{none}</p>;
  return <Block text={typeof value === "string" && value.includes("\n") ? value : JSON.stringify(value, null, 2)} />;
}

/** A text of several lines that can be copied. */
export function Block({ text }: { text: string }) {
  return (
    <div className="relative">
      <div className="absolute top-1 right-1">
        <Copy text={text} shown="copy" />
      </div>
      <pre
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md bg-raised p-3 font-mono max-md:pt-8 text-xs whitespace-pre-wrap
          [overflow-wrap:anywhere]"
      >
        {text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}\n… ${text.length - MAX_CHARS} more characters` : text}
      </pre>
    </div>
  );
}

/** An error as workers report it: its message first, then type and traceback. */
export function ErrorView({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  if (typeof error !== "object") return <Json value={error} />;
  const { type, traceback, ...rest } = error as Record<string, unknown>;
  const text = errorText(error);
  const others = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== text));
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium text-bad [overflow-wrap:anywhere]">{text}</p>
      {typeof type === "string" && type !== text && <p className="text-xs text-muted">{type}</p>}
      {typeof traceback === "string" && <Block text={traceback.trimEnd()} />}
      {Object.keys(others).length > 0 && <Json value={others} />}
    </div>
  );
}

/** The one line of an error that lists show. */
export function errorText(error: unknown): string {
  if (error === null || error === undefined) return "";
  if (typeof error !== "object") return JSON.stringify(error);
  const { message, reason, type, code } = error as Record<string, unknown>;
  const text = [message, reason, type, code].find((part) => typeof part === "string" && part !== "");
  return typeof text === "string" ? text : JSON.stringify(error);
}
