import { answered, client } from '../../api/client'
import type { components } from '../../api/schema'
import type { Asking } from '../queries'

type Schemas = components['schemas']
export type FileSpans = Schemas['FileSpans']
export type FileSpansView = Schemas['FileSpansView']

const KEPT_MS = 60_000

/** When each file was in use; null where no source tells. */
export const fileSpansQuery = (caseId: string): Asking<FileSpansView | null> => ({
  queryKey: ['file-spans', caseId],
  queryFn: ({ signal }) =>
    answered(
      client.GET('/api/v1/cases/{case_id}/files/spans', { params: { path: { case_id: caseId } }, signal }),
    ),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: KEPT_MS,
})
