import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, client } from '../api/client'
import type { Given } from '../api/queries'
import type { EvidenceSearch } from './search'

const HOUR = 3_600_000
const COUNTERS_AT_A_TIME = 300

const inSource = (caseId: string, { given, member }: Given) => ({
  path: { case_id: caseId, index: given },
  query: member === null ? {} : { member },
})

export const contentsQuery = (caseId: string, source: Given) =>
  queryOptions({
    queryKey: ['contents', caseId, source.given, source.member],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/sources/{index}/contents', {
          params: inSource(caseId, source),
          signal,
        }),
      ),
    staleTime: HOUR,
  })

export const secondOpinionQuery = (caseId: string, source: Given) =>
  queryOptions({
    queryKey: ['second-opinion', caseId, source.given, source.member],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/sources/{index}/second-opinion', {
          params: inSource(caseId, source),
          signal,
        }),
      ),
    staleTime: HOUR,
    retry: false,
  })

/** How a site is called that is made of a case's benchmarks; empty where it is not said. */
export type MeasuredSiteNamed = Readonly<Record<'name' | 'title' | 'mount' | 'host', string>>

export const measuredSiteQuery = (caseId: string, { name, title, mount, host }: MeasuredSiteNamed) =>
  queryOptions({
    queryKey: ['measured-site', caseId, name, title, mount, host],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/measured-site', {
          params: {
            path: { case_id: caseId },
            query: { name, ...(title && { title }), ...(mount && { mount }), ...(host && { host }) },
          },
          signal,
        }),
      ),
    staleTime: HOUR,
    retry: false,
  })

/** The blocks that touch these lines; the first ones of the source without lines. */
export const blocksQuery = (caseId: string, source: Given, lines?: { first: number; last: number }) =>
  queryOptions({
    queryKey: ['blocks', caseId, source.given, source.member, lines],
    queryFn: ({ signal }) => {
      const params = inSource(caseId, source)
      return answered(
        client.GET('/api/v1/cases/{case_id}/sources/{index}/blocks', {
          params: { ...params, query: { ...params.query, ...lines } },
          signal,
        }),
      )
    },
    staleTime: HOUR,
  })

export type AskedCounters = Pick<EvidenceSearch, 'counter' | 'of' | 'record' | 'zeros' | 'largest'> & {
  readonly module: string
}

export const countersQuery = (caseId: string, source: Given, asked: AskedCounters) =>
  infiniteQueryOptions({
    queryKey: ['counters', caseId, source.given, source.member, asked],
    queryFn: ({ signal, pageParam }) => {
      const params = inSource(caseId, source)
      return answered(
        client.GET('/api/v1/cases/{case_id}/sources/{index}/counters', {
          params: {
            ...params,
            query: {
              ...params.query,
              module: asked.module,
              ...(asked.counter && { q: asked.counter }),
              ...(asked.of && { file: asked.of }),
              ...(asked.record && { record: asked.record }),
              ...(asked.zeros && { zeros: true }),
              ...(asked.largest && { largest: true }),
              offset: pageParam,
              limit: COUNTERS_AT_A_TIME,
            },
          },
          signal,
        }),
      )
    },
    initialPageParam: 0,
    getNextPageParam: (last) => {
      const next = last.offset + last.cells.length
      return next < last.matched ? next : undefined
    },
    placeholderData: keepPreviousData,
    staleTime: HOUR,
  })

/** What each metric of the case is called, by its id. */
export const titlesQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['metric-titles', caseId],
    queryFn: async ({ signal }) => {
      const metrics = await answered(
        client.GET('/api/v1/cases/{case_id}/metrics', { params: { path: { case_id: caseId } }, signal }),
      )
      return Object.fromEntries(Object.values(metrics).map(({ id, title }) => [id, title]))
    },
    staleTime: HOUR,
  })
