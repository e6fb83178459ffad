import { type DefaultOptions, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/client'
import { meQuery } from './queries'

/** What the server answers who is not logged in, any more. */
const NOBODY = 401

/** Asks who somebody is again where the server does not know it: a log-in ends while its pages are open. */
export function askWhoAfter(error: unknown, queries: QueryClient): void {
  if (error instanceof ApiError && error.status === NOBODY)
    void queries.invalidateQueries(meQuery, { cancelRefetch: false })
}

/** What is asked and changed, of which each refusal has who somebody is asked again. */
export function newQueries(defaultOptions: DefaultOptions): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions,
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        if (queryKey[0] !== meQuery.queryKey[0]) askWhoAfter(error, client)
      },
    }),
    mutationCache: new MutationCache({ onError: (error) => askWhoAfter(error, client) }),
  })
  return client
}
