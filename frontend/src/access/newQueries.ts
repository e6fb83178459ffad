import { type DefaultOptions, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/client'
import { meQuery } from './queries'

/** What the server answers who is not logged in, any more. */
const NOBODY = 401

/** Asks who somebody is again as soon as the server does not know it, whatever was asked or changed: a log-in ends while its
 * pages are open. */
export function newQueries(defaultOptions: DefaultOptions): QueryClient {
  const askWho = (error: Error) => {
    if (error instanceof ApiError && error.status === NOBODY)
      void client.invalidateQueries(meQuery, { cancelRefetch: false })
  }
  const client: QueryClient = new QueryClient({
    defaultOptions,
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        if (queryKey[0] !== meQuery.queryKey[0]) askWho(error)
      },
    }),
    mutationCache: new MutationCache({ onError: askWho }),
  })
  return client
}
