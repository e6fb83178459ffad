import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type DecidedBy, joinSet } from '../analysis/search'
import { ApiError, answered, client } from './client'
import { inOrder } from './siteOrder'
import type { CaseView, Comparison, SourceReport } from './types'

const HOUR = 3_600_000
/** Looks at a case that is still being read: the second follows the first at once, for the server answers it when
 * something has changed, or after so long; the next pause in between, however often something changes. */
const AT_ONCE_MS = 1
const POLL_MS = 300
const WAIT_S = 5

export const infoQuery = queryOptions({
  queryKey: ['info'],
  queryFn: async ({ signal }) => {
    const info = await answered(client.GET('/api/v1/info', { signal }))
    return { ...info, sites: inOrder(info.sites) }
  },
  staleTime: HOUR,
})

export const samplesQuery = queryOptions({
  queryKey: ['samples'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/samples', { signal })),
  // Samples are read at the server's start: until all are, look again.
  refetchInterval: ({ state }) => (state.data?.some((s) => s.status === 'reading') ? 2000 : false),
})

export const casesQuery = (limit: number, offset: number, words = '') =>
  queryOptions({
    queryKey: ['cases', limit, offset, words],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases', {
          params: { query: { limit, offset, ...(words && { words }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.cases.some((c) => c.status === 'reading') ? 2000 : false),
  })

export const isReading = (view: CaseView | undefined): boolean => view?.status === 'reading'

/** Whether an earlier version made the document, which is shown while the case is read again. */
const isRenewed = (view: CaseView | undefined): boolean => view?.stale === 'pending'

/** Whether it is asked for again by itself. */
const willChange = (view: CaseView | undefined): boolean => isReading(view) || isRenewed(view)

/** `site`: the document made again for another site; null is the case as it is stored. */
export const caseQuery = (id: string, site: string | null) =>
  queryOptions({
    queryKey: ['case', id, site],
    // openapi-fetch widens a list of pairs to a list of lists.
    queryFn: async ({ client: queries, queryKey, signal }) => {
      const wait = willChange(queries.getQueryData<CaseView>(queryKey)) ? { wait: WAIT_S } : {}
      return (await answered(
        client.GET('/api/v1/cases/{case_id}', {
          params: { path: { case_id: id }, query: site === null ? wait : { site, ...wait } },
          signal,
        }),
      )) as CaseView
    },
    refetchInterval: ({ state }) => {
      if (!willChange(state.data)) return false
      return state.dataUpdateCount === 1 ? AT_ONCE_MS : POLL_MS
    },
    staleTime: 30_000,
  })

/** The other cases of the same job, or that may be of it. */
export const sameJobQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['case', caseId, 'same job'],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/same-job', { params: { path: { case_id: caseId } }, signal }),
      ),
    staleTime: 30_000,
  })

/** The case as a picture of a line's height; null where no source says which layer moved what. */
export const portraitQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['case', caseId, 'portrait'],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/portrait', { params: { path: { case_id: caseId } }, signal }),
      ),
    staleTime: HOUR,
  })

/** `cases`: ids with commas between, the first being what the others are held against; `by`: whose numbers decide. */
export const compareQuery = (cases: string, { site, set }: DecidedBy) =>
  queryOptions({
    queryKey: ['compare', cases, site, set],
    // openapi-fetch widens a list of pairs to a list of lists.
    queryFn: async ({ signal }) =>
      (await answered(
        client.GET('/api/v1/compare', {
          params: {
            query: { cases, ...(site !== undefined && { site }), ...(set && { set: joinSet(set) }) },
          },
          signal,
        }),
      )) as Comparison,
    // Another number moves what is shown; it does not take it away meanwhile.
    placeholderData: (before, query) => (query?.queryKey[1] === cases ? before : undefined),
    retry: (failures, error) =>
      failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    staleTime: 30_000,
  })

export const rulesQuery = queryOptions({
  queryKey: ['rules'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/rules', { signal })),
  staleTime: HOUR,
})

export const ruleQuery = (id: string) =>
  queryOptions({
    queryKey: ['rule', id],
    queryFn: ({ signal }) =>
      answered(client.GET('/api/v1/rules/{rule_id}', { params: { path: { rule_id: id } }, signal })),
    staleTime: HOUR,
  })

export const documentsQuery = queryOptions({
  queryKey: ['documents'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/documents', { signal })),
  staleTime: HOUR,
})

export const sitesQuery = queryOptions({
  queryKey: ['sites'],
  queryFn: async ({ signal }) => inOrder(await answered(client.GET('/api/v1/sites', { signal }))),
  staleTime: HOUR,
})

export const siteQuery = (id: string) =>
  queryOptions({
    queryKey: ['site', id],
    queryFn: ({ signal }) =>
      answered(client.GET('/api/v1/sites/{site_id}', { params: { path: { site_id: id } }, signal })),
    staleTime: HOUR,
  })

/** A source as it was given: which file of the case, and of an archive which file in it. */
export type Given = Pick<SourceReport, 'given' | 'member'>

export const linesQuery = (caseId: string, { given, member }: Given, first: number, last: number) =>
  queryOptions({
    queryKey: ['lines', caseId, given, member, first, last],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/sources/{index}/lines', {
          params: {
            path: { case_id: caseId, index: given },
            query: { first, last, ...(member !== null && { member }) },
          },
          signal,
        }),
      ),
    staleTime: HOUR,
  })

/** The counters of one record, or, without `record`, the totals of the module. */
export const recordQuery = (
  caseId: string,
  { given, member }: Given,
  module: string,
  record: string | null,
  rank: number | null,
) =>
  queryOptions({
    queryKey: ['record', caseId, given, member, module, record, rank],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/sources/{index}/record', {
          params: {
            path: { case_id: caseId, index: given },
            query: {
              module,
              ...(member !== null && { member }),
              ...(record !== null && { record }),
              ...(record !== null && rank !== null && { rank }),
            },
          },
          signal,
        }),
      ),
    staleTime: HOUR,
  })

export const removeCase = (id: string): Promise<unknown> =>
  answered(client.DELETE('/api/v1/cases/{case_id}', { params: { path: { case_id: id } } }))
