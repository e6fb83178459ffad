/** The document that the page shows: a stored document whose findings are decided, each with its figures. */
import type {
  DocumentRule,
  Headline,
  Metric,
  Severity,
  StoredDocument,
  StoredFinding,
  ThresholdInForce,
  Where,
} from '../api/types'
import type { ConditionNode } from './condition'
import type { Metrics } from './metrics'

type Said = NonNullable<StoredFinding['says']>

/** Evidence that would decide an unknown finding, and the lines of the job script that produce it. */
export interface Settling {
  readonly evidence: string
  readonly text: string
  readonly lines: readonly string[]
}

/** A finding with its rule. One that holds under no thresholds has its `reason` alone, and empty conditions. */
export interface Finding extends StoredFinding {
  readonly reason: string | null
  /** The number of files in the group that the finding is about; null where it is about the job. */
  readonly files: number | null
  readonly requires: ConditionNode
  readonly condition: ConditionNode
  readonly supports: readonly ConditionNode[]
  /** The job's I/O is enough to matter; null where the rule is not weighed. */
  readonly significance: ConditionNode | null
  readonly base_severity: Severity
  readonly explains: DocumentRule['explains']
  /** The seconds that it claims, as its rule has them. */
  readonly claims: DocumentRule['claims']
  /** The seconds of the account that the finding was given, out of those that it claims. */
  readonly takes_s: number | null
  readonly could_save_at_least_s: number | null
  readonly could_save_s: number | null
  readonly leads: boolean
  readonly citations: DocumentRule['citations']
  /** Of a triggered finding, as the rule says them. */
  readonly headline: string | null
  readonly summary: string | null
  readonly impact: Said['impact']
  /** The places of the condition's figures. */
  readonly where: readonly Where[]
  readonly settling: readonly Settling[]
}

export interface CaseDocument extends Omit<StoredDocument, 'findings' | 'thresholds' | 'metrics' | 'groups'> {
  readonly findings: Finding[]
  readonly thresholds: ThresholdInForce[]
  readonly metrics: Metrics
  readonly groups: (Omit<StoredDocument['groups'][number], 'metrics'> & {
    metrics: Readonly<Record<string, Metric>>
  })[]
  readonly headline: Headline
}

/** What a source is called: of one that the document does not list its number. */
export const sourceName = ({ sources }: CaseDocument, source: number): string =>
  sources[source]?.name ?? `source ${source + 1}`
