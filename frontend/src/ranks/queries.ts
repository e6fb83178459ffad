import { queryOptions } from '@tanstack/react-query'
import { answered, client } from '../api/client'

const HOUR = 3_600_000

/** Bytes and seconds of every rank of a case. */
export const ranksQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['ranks', caseId],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/ranks', { params: { path: { case_id: caseId } }, signal }),
      ),
    staleTime: HOUR,
  })
