import type { CaseDocument } from '../../../analysis/caseDocument'

/** Whether one of the figures can only be larger: records are missing of what a chart counts as they do. */
export const isLeast = ({ metrics }: CaseDocument, ...counted: readonly string[]): boolean =>
  counted.some((metric) => metrics[metric]?.bound === 'lower')

/** What a chart of such figures says of them. */
export const LOWER_BOUNDS = 'Records are missing: these are lower bounds.'
