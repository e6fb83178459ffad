import type { CaseView } from '../api/types'
import { independentSmall } from '../fixtures/stored'

/** A case that has been read, as the server gives it. */
export const caseView = (more: Partial<CaseView> = {}): CaseView => ({
  id: 'a1',
  created_at: '2026-11-20T09:14:00Z',
  status: 'ready',
  title: '4127088',
  site: null,
  sample: false,
  message: null,
  stale: null,
  joined: [],
  sources: [],
  document: independentSmall,
  ...more,
})
