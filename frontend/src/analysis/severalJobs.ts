import type { CaseDocument } from './caseDocument'

/** Whether the sources are of several jobs. A document of an earlier version does not say. */
export const hasSeveralJobs = ({ jobs }: Pick<CaseDocument, 'jobs'>): boolean => (jobs ?? []).length >= 2
