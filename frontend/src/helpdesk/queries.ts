import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type DecidedBy, joinSet } from '../analysis/search'
import { answered, client } from '../api/client'
import type { components, paths } from '../api/schema'

type Schemas = components['schemas']
type Get<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer A } } } }
}
  ? A
  : never
export type ReplyForm = Schemas['ReplyView']['form']
export type TriageStep = Get<'/api/v1/cases/{case_id}/triage'>[number]

const HOUR = 3_600_000

const decided = ({ site, set }: DecidedBy) => ({
  ...(site !== undefined && { site }),
  ...(set && { set: joinSet(set) }),
})

/** What a reply is written of; `findings` are keys, empty for the one that the case's sentence is of. */
export interface ReplyAsked {
  readonly form: ReplyForm
  readonly findings: readonly string[]
  readonly template: string | null
  readonly by: DecidedBy
}

export const replyQuery = (caseId: string, { form, findings, template, by }: ReplyAsked) =>
  queryOptions({
    queryKey: ['reply', caseId, form, findings.join(), template, by],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/reply', {
          params: {
            path: { case_id: caseId },
            query: {
              form,
              ...(findings.length > 0 && { findings: findings.join() }),
              ...(template !== null && { template }),
              ...decided(by),
            },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })

/** What the case lacks, as a text for its user; empty where nothing is open. */
export const askingQuery = (caseId: string, by: DecidedBy) =>
  queryOptions({
    queryKey: ['asking', caseId, by],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/asking', {
          params: { path: { case_id: caseId }, query: decided(by) },
          signal,
        }),
      ),
    staleTime: 30_000,
  })

export const triageQuery = (caseId: string, by: DecidedBy) =>
  queryOptions({
    queryKey: ['triage', caseId, by],
    queryFn: async ({ signal }) =>
      (await answered(
        client.GET('/api/v1/cases/{case_id}/triage', {
          params: { path: { case_id: caseId }, query: decided(by) },
          signal,
        }),
      )) as TriageStep[],
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })

export const templatesQuery = queryOptions({
  queryKey: ['reply-templates'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/reply-templates', { signal })),
  staleTime: HOUR,
})
