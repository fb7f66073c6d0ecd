import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryKey,
} from "@tanstack/react-query";

import { ApiError, call, type BodyOf, type Operation, type QueryOf, type Response } from "./client";
import type { Operations } from "./schema";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      retry: (count, error) => error instanceof ApiError && (error.status === 0 || error.status === 503) && count < 8,
      retryDelay: (count) => Math.min(1000 * 2 ** count, 10_000),
    },
  },
});

interface Options {
  key: QueryKey;
  /** Milliseconds between two requests, where no change events tell about news. */
  every?: number | false;
  enabled?: boolean;
}

/** Reads one endpoint. */
export function useRead<O extends Operation>(
  operation: O,
  parts: { path?: Operations[O]["path"]; query?: QueryOf<O> },
  options: Options,
) {
  return useQuery({
    queryKey: options.key,
    queryFn: ({ signal }) => call(operation, { ...parts, signal }),
    refetchInterval: options.every ?? false,
    enabled: options.enabled ?? true,
    placeholderData: keepPreviousData,
  });
}

interface Page<T> {
  items: T[];
  next: string | null;
}

/** Reads a list page by page; `cursor` is the query parameter that takes `next` of the last page. */
export function usePages<O extends Operation, T>(
  operation: O,
  parts: { path?: Operations[O]["path"]; query?: QueryOf<O> },
  options: Options & { cursor?: "before" | "after" },
) {
  const cursor = options.cursor ?? "before";
  const pages = useInfiniteQuery({
    queryKey: options.key,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...parts.query, ...(pageParam === null ? {} : { [cursor]: pageParam }) } as QueryOf<O>;
      return call(operation, { ...parts, query, signal }) as unknown as Promise<Page<T>>;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    enabled: options.enabled ?? true,
    refetchInterval: options.every ?? false,
    placeholderData: keepPreviousData,
  });
  return { ...pages, rows: pages.data?.pages.flatMap((page) => page.items) ?? [], first: pages.data?.pages[0] };
}

interface Change<O extends Operation> {
  path?: Operations[O]["path"];
  body?: BodyOf<O>;
}

/** Sends a change, and reads again what it may have changed. */
export function useChange<O extends Operation>(operation: O, changed: QueryKey[]) {
  const client = useQueryClient();
  return useMutation<Response<O>, Error, Change<O>>({
    mutationFn: (parts) => call(operation, parts),
    onSettled: () => Promise.all(changed.map((key) => client.invalidateQueries({ queryKey: key }))),
  });
}
