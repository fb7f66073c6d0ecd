/** What could be written at the caret. */
export interface Suggestion {
  text: string;
  /** What it means, in one sentence; or its kind, such as "column". */
  about?: string;
  /** Written after it, such as ": " after a key. */
  after?: string;
}

/** Suggestions for a text and the place of the caret in it; they replace the text between `from` and the caret. */
export interface Completion {
  from: number;
  suggestions: Suggestion[];
}

/** `asked`: by Ctrl Space, so that suggestions may come before anything of them is typed. */
export type Complete = (text: string, caret: number, asked: boolean) => Completion | null;

const MAX_SHOWN = 50;

/** Keeps what begins with the typed text, then what contains it. Nothing is left to complete if it is all typed. */
export function matching(suggestions: Suggestion[], typed: string): Suggestion[] {
  const wanted = typed.toLowerCase();
  const begin = suggestions.filter((one) => one.text.toLowerCase().startsWith(wanted));
  const contain = suggestions.filter((one) => one.text.toLowerCase().indexOf(wanted) > 0);
  const found = [...new Map([...begin, ...contain].map((one) => [one.text, one])).values()];
  if (found.length === 1 && found[0]?.text === typed) return [];
  return found.slice(0, MAX_SHOWN);
}
