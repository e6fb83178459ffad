import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, BASE, client } from '../api/client'
import type { Asked } from './search'

const HOUR = 3_600_000
/** Files that are asked for at a time. */
export const WINDOW = 100
const GROUPS_AT_A_TIME = 200

/** One window of the files; of one group with `group`. */
export const filesQuery = (caseId: string, asked: Asked, group: string | null, window: number) =>
  queryOptions({
    queryKey: ['files', caseId, asked, group, window],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/files', {
          params: {
            path: { case_id: caseId },
            query: { ...asked, ...(group !== null && { group }), offset: window * WINDOW, limit: WINDOW },
          },
          signal,
        }),
      ),
    staleTime: HOUR,
  })

/** How many files there are, and their sums; the rows of before stay while new ones are fetched. */
export const firstFilesQuery = (caseId: string, asked: Asked) =>
  queryOptions({ ...filesQuery(caseId, asked, null, 0), placeholderData: keepPreviousData })

export const groupsQuery = (caseId: string, asked: Asked) =>
  infiniteQueryOptions({
    queryKey: ['file-groups', caseId, asked],
    queryFn: ({ signal, pageParam }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/files/groups', {
          params: {
            path: { case_id: caseId },
            query: { ...asked, offset: pageParam, limit: GROUPS_AT_A_TIME },
          },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: (last) => {
      const next = last.offset + last.groups.length
      return next < last.groups_matched ? next : undefined
    },
    placeholderData: keepPreviousData,
    staleTime: HOUR,
  })

export const fileQuery = (caseId: string, path: string) =>
  queryOptions({
    queryKey: ['file', caseId, path],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/files/detail', {
          params: { path: { case_id: caseId }, query: { path } },
          signal,
        }),
      ),
    staleTime: HOUR,
  })

/** Where the same files are as CSV. */
export function csvAddress(caseId: string, asked: Asked): string {
  const address = new URL(`api/v1/cases/${caseId}/files.csv`, BASE)
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value)
  return address.href
}
