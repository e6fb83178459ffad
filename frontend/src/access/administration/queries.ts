import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answered, client } from '../../api/client'
import type { components } from '../../api/schema'

type Schemas = components['schemas']
export type ServerChoices = Schemas['ServerChoices']
export type RetentionPeriod = ServerChoices['kept'][number]
export type AuditEntry = Schemas['AuditEntry']

/** What the log is narrowed to; empty texts narrow nothing. */
export interface AuditAsked {
  readonly person: string
  readonly words: string
  readonly since: string
}

const AT_ONCE = 100

export const profilesQuery = queryOptions({
  queryKey: ['own-profiles'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/own-profiles', { signal })),
})

export const serverChoicesQuery = queryOptions({
  queryKey: ['keeping'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/keeping', { signal })),
})

/** The filter as the address of the log has it. */
export const auditSearch = ({ person, words, since }: AuditAsked) => ({
  ...(person !== '' && { person }),
  ...(words !== '' && { words }),
  ...(since !== '' && { since: `${since}T00:00:00Z` }),
})

export const auditQuery = (asked: AuditAsked) =>
  infiniteQueryOptions({
    queryKey: ['audit', asked],
    queryFn: ({ pageParam, signal }) =>
      answered(
        client.GET('/api/v1/audit', {
          params: {
            query: {
              ...auditSearch(asked),
              limit: AT_ONCE,
              ...(pageParam !== null && { before: pageParam }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.length < AT_ONCE ? undefined : last.at(-1)?.id),
  })
