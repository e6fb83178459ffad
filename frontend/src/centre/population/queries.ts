import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, client } from '../../api/client'
import type { components } from '../../api/schema'

export type Population = components['schemas']['Population']
export type Moved = components['schemas']['MovedThreshold']
export type Counts = components['schemas']['Counts']
export type Settled = components['schemas']['SettledThreshold']
export type FlaggedLog = components['schemas']['FlaggedLog']

/** A threshold of a rule, and the days that it is put to. */
export interface Asked {
  readonly rule: string
  readonly threshold: string
  readonly first: string
  readonly last: string
}

const path = ({ rule, threshold }: Asked) => ({ rule_id: rule, threshold_id: threshold })

export const populationQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ['population', asked],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/centre/population/{rule_id}/{threshold_id}', {
          params: { path: path(asked), query: { first: asked.first, last: asked.last } },
          signal,
        }),
      ),
    staleTime: 60_000,
  })

/** What another number flags; the answer before stays while the next is on its way. */
export const movedQuery = (asked: Asked, value: number) =>
  queryOptions({
    queryKey: ['population', asked, value],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/centre/population/{rule_id}/{threshold_id}/moved', {
          params: { path: path(asked), query: { first: asked.first, last: asked.last, value } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

/** All findings with another number, settled. */
export const settledQuery = (asked: Asked, value: number) =>
  queryOptions({
    queryKey: ['population', asked, value, 'settled'],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/centre/population/{rule_id}/{threshold_id}/settled', {
          params: { path: path(asked), query: { first: asked.first, last: asked.last, value } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
