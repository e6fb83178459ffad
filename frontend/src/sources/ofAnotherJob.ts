import type { SourceReport } from '../api/types'

/** Whether it was left out whole, since all that it holds is of other jobs than the case's. */
export const isOfAnotherJob = ({ status, warnings }: SourceReport): boolean =>
  status === 'nothing' && warnings.some((warning) => warning.code === 'other-job')
