import { parseJson } from "./json";
import type { Operations, Problem } from "./schema";

export type Operation = keyof Operations;
export type Response<O extends Operation> = Operations[O]["response"];
export type QueryOf<O extends Operation> = Operations[O]["query"];
export type BodyOf<O extends Operation> = Operations[O]["body"];

interface Parts<O extends Operation> {
  path?: Operations[O]["path"];
  query?: Operations[O]["query"];
  body?: Operations[O]["body"];
  signal?: AbortSignal;
}

/** A refused or failed request, with the cause and often a hint. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly requestId: string | null;
  /** Every problem of an invalid document: `what`, `where`, and often `line` and `column`. */
  readonly errors: Record<string, string | number>[];

  constructor(status: number, problem: Partial<Omit<Problem, "code">> & { code?: string }) {
    super(problem.detail ?? problem.title ?? `The server responded with status ${status}.`);
    this.status = status;
    this.code = problem.code ?? "unknown";
    this.hint = problem.hint ?? null;
    this.requestId = problem.request_id ?? null;
    this.errors = problem.errors ?? [];
  }
}

let csrfToken: string | null = null;

/** Sets the token that proves to the server that a change comes from this page. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Sends one request of the API; its types come from the OpenAPI document. */
export async function call<O extends Operation>(operation: O, parts: Parts<O> = {}): Promise<Response<O>> {
  const text = await (await request(operation, parts)).text();
  return text === "" ? undefined : parseJson(text);
}

/** Sends one request of the API and saves the body of its response as a file. */
export async function download<O extends Operation>(operation: O, parts: Parts<O>, name: string): Promise<void> {
  const content = await (await request(operation, parts)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function request<O extends Operation>(operation: O, parts: Parts<O>): Promise<globalThis.Response> {
  const [method = "GET", pattern = "/"] = operation.split(" ", 2);
  const headers: Record<string, string> = {};
  if (method !== "GET" && csrfToken !== null) headers["X-CSRF-Token"] = csrfToken;
  if (parts.body !== undefined) headers["Content-Type"] = "application/json";
  const options: RequestInit = { method, headers, credentials: "same-origin" };
  if (parts.body !== undefined) options.body = JSON.stringify(parts.body);
  if (parts.signal !== undefined) options.signal = parts.signal;
  const response = await send(fillPath(pattern, parts.path ?? {}) + queryString(parts.query ?? {}), options);
  if (!response.ok) throw new ApiError(response.status, parseProblem(await response.text()));
  return response;
}

async function send(url: string, request: RequestInit): Promise<globalThis.Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, {
      code: "unreachable",
      detail: "The server does not respond.",
      hint: "check that `tenuto server` or `tenuto up` runs; this page retries automatically",
    });
  }
}

function parseProblem(text: string): Partial<Problem> {
  try {
    return JSON.parse(text) as Partial<Problem>;
  } catch {
    return {};
  }
}

function fillPath(pattern: string, values: Record<string, unknown>): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

function queryString(values: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === "") continue;
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) query.append(name, String(item));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
