import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
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
/** A reply, or what is asked for, as the server wrote it. */
export type WrittenText = Schemas['ReplyView']
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
    // Another finding changes what is shown; another case does not begin with the text of this one.
    placeholderData: (before, query) => (query?.queryKey[1] === caseId ? before : undefined),
    staleTime: 30_000,
  })

/** What is asked about: a case, or a ticket of which there is no run yet, with the system whose lines it is sent. */
export type Asked =
  | { readonly caseId: string; readonly by: DecidedBy }
  | { readonly ticketId: number; readonly system: string | null }

/** What is lacking, as a text for its user; empty where nothing is open. */
export const askingQuery = (asked: Asked, form: 'plain' | 'markdown') =>
  queryOptions({
    queryKey: ['asking', asked, form],
    queryFn: ({ signal }) =>
      answered(
        'ticketId' in asked
          ? client.GET('/api/v1/tickets/{ticket_id}/asking', {
              params: { path: { ticket_id: asked.ticketId }, query: { form } },
              signal,
            })
          : client.GET('/api/v1/cases/{case_id}/asking', {
              params: { path: { case_id: asked.caseId }, query: { form, ...decided(asked.by) } },
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

export type QueueEntry = Schemas['QueueEntry']
export type QueuePage = Schemas['QueuePage']
export type QueueCounts = NonNullable<QueuePage['counts']>
export type TicketStatus = QueueEntry['status']
export type SavedView = Schemas['SavedView']
export type QueueAction = Schemas['QueueAction']
export type Ticket = Schemas['Ticket']
export type Note = Schemas['Note']
export type TicketFields = Schemas['TicketFields']
export type Outcome = Schemas['Outcome']
export type HeldBy = Schemas['HeldBy']
export type SimilarJob = Schemas['SimilarJob']
type QueueAsked = NonNullable<paths['/api/v1/queue']['get']['parameters']['query']>
export type Sort = NonNullable<QueueAsked['sort']>

/** Entries that one look at the queue brings. */
const PAGE = 50
const MINUTE = 60_000
const SECOND = 1000

export const queueQuery = (asked: Omit<QueueAsked, 'cursor' | 'limit'>) =>
  infiniteQueryOptions({
    queryKey: ['queue', asked],
    queryFn: async ({ pageParam, signal }) =>
      (await answered(
        client.GET('/api/v1/queue', {
          params: { query: { ...asked, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
        }),
      )) as QueuePage,
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    // Colleagues work on the same queue.
    refetchInterval: MINUTE,
  })

export const viewsQuery = queryOptions({
  queryKey: ['queue-views'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/queue/views', { signal })),
  staleTime: MINUTE,
})

/** Who may be the owner of a ticket. */
export const colleaguesQuery = queryOptions({
  queryKey: ['colleagues'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/queue/people', { signal })),
  staleTime: MINUTE,
})

export const act = (action: QueueAction) => answered(client.POST('/api/v1/queue/actions', { body: action }))

/** A run that was given a moment ago is still being read, and then what became of the advice is worked out. */
function willChange({ cases, outcome, changed_at }: Ticket): boolean {
  const late = Date.now() - new Date(changed_at).getTime() > MINUTE
  const both = (['before', 'after'] as const).every((role) => cases.some((one) => one.role === role))
  return cases.some((one) => one.status === 'reading') || (both && outcome === null && !late)
}

export const ticketQuery = (id: number) =>
  queryOptions({
    queryKey: ['ticket', id],
    queryFn: async ({ signal }) =>
      (await answered(
        client.GET('/api/v1/tickets/{ticket_id}', { params: { path: { ticket_id: id } }, signal }),
      )) as Ticket,
    refetchInterval: ({ state }) => (state.data && willChange(state.data) ? SECOND : MINUTE),
  })

/** The ticket that the case is of; null where nobody has taken it. */
export const ticketOfCaseQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['ticket-of-case', caseId],
    queryFn: async ({ signal }) =>
      await answered(
        client.GET('/api/v1/cases/{case_id}/ticket', { params: { path: { case_id: caseId } }, signal }),
      ),
  })

export const similarQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['similar', caseId],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/similar', { params: { path: { case_id: caseId } }, signal }),
      ),
    staleTime: MINUTE,
  })

export const recordsQuery = queryOptions({
  queryKey: ['outcomes'],
  queryFn: ({ signal }) => answered(client.GET('/api/v1/outcomes', { signal })),
  staleTime: MINUTE,
})
