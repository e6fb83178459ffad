import { queryOptions } from '@tanstack/react-query'
import { answered, client } from '../../api/client'
import type { ReportSearch } from './search'

const MINUTE = 60_000

export const centreQuery = queryOptions({
  queryKey: ['centre'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/centre', { signal })),
  staleTime: 5 * MINUTE,
})

/** What of the address the server is asked. */
const asked = ({ period, ...filters }: ReportSearch) => ({ ...(period && { period }), ...filters })

export const reportQuery = (day: string, search: ReportSearch) =>
  queryOptions({
    queryKey: ['report', day, search],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/centre/reports/{day}', {
          params: { path: { day }, query: asked(search) },
          signal,
        }),
      ),
    // Another day or filter takes the place of what is shown; it does not take it away meanwhile.
    placeholderData: (before) => before,
    staleTime: MINUTE,
  })

export const trendQuery = (last: string, { period: _, ...filters }: ReportSearch) =>
  queryOptions({
    queryKey: ['trend', last, filters],
    queryFn: ({ signal }) =>
      answered(client.GET('/api/v1/centre/trend', { params: { query: { last, ...filters } }, signal })),
    staleTime: 5 * MINUTE,
  })

export const logQuery = (day: string, log: string) =>
  queryOptions({
    queryKey: ['centre log', day, log],
    queryFn: ({ signal }) =>
      answered(client.GET('/api/v1/centre/logs/{day}/{log}', { params: { path: { day, log } }, signal })),
    staleTime: MINUTE,
  })

/** The id of a case made of the log as it lies there now. */
export const readAgain = async (day: string, log: string): Promise<string> =>
  (await answered(client.POST('/api/v1/centre/logs/{day}/{log}/case', { params: { path: { day, log } } }))).id
