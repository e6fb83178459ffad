import { queryOptions, useQuery } from '@tanstack/react-query'
import { answered, client } from '../api/client'
import { EXPORTED_CASE } from '../api/embedded'
import type { components } from '../api/schema'

export type Me = components['schemas']['Me']
type Token = components['schemas']['TokenView']
export type Scope = Token['scope']

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/me', { signal })),
  enabled: EXPORTED_CASE === null,
  staleTime: 60_000,
})

/** Whether what is open is shown by a share link alone: it is looked at and not changed. */
export function useGuest(): boolean {
  const { data } = useQuery(meQuery)
  return data?.id === null && data.guest
}

/** Whether the person sees every case, as the helpdesk and administrators do; nobody does in an exported page. */
export function useHelps(): boolean {
  const { data } = useQuery(meQuery)
  return data?.role === 'helpdesk' || data?.role === 'admin'
}

/** Whether one case is all there is to see: by a share link, or in an exported page. */
export function useAlone(): boolean {
  return useGuest() || EXPORTED_CASE !== null
}

export const linksQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['links', caseId],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/links', { params: { path: { case_id: caseId } }, signal }),
      ),
  })

export const casePeopleQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['case-people', caseId],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/people', { params: { path: { case_id: caseId } }, signal }),
      ),
  })

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/tokens', { signal })),
})

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/people', { signal })),
})
