import type { DefaultOptions } from '@tanstack/react-query'
import { ApiError } from './client'

/** How the server is asked. A browser without a network asks all the same: a server of one's own machine answers, an exported
 * page has its answers in itself, and what was pressed fails with a word instead of being done unseen much later. */
export const ASKING = {
  queries: {
    networkMode: 'always',
    refetchOnReconnect: true,
    // An answer from the server is an answer; only silence is worth asking again.
    retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status === 0,
    refetchOnWindowFocus: false,
  },
  mutations: { networkMode: 'always' },
} satisfies DefaultOptions
