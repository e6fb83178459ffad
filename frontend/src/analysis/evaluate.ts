/** Decides the findings of a case document again under other thresholds: pure, in the browser, without the server.
 * The same as the server's (`iotriage.analysis.decision.moved_thresholds`): a test has both decide every sample
 * under random thresholds. */
import type { Account, RuledOut, StoredDocument, StoredFinding, ThresholdInForce } from '../api/types'
import { allotSeconds, basisOf, savingOf, shortestRanked, totalOf } from './allotment'
import type { CaseDocument, Finding, Settling } from './caseDocument'
import {
  type Answer,
  answered,
  type ConditionNode,
  evidenceThatSettles,
  type InForce,
  leavesOf,
} from './condition'
import { withoutContradictions } from './contradictions'
import { causeOf } from './explained'
import { LITTLE_OF_IO, LITTLE_OF_RUN, LOW_OF_RUN, NOTHING_LEFT, SMALL_SHARE, TURNS } from './fixedNumbers'
import { headlineOf } from './headline'
import { type Metrics, metricsOf } from './metrics'
import { nextRunOf } from './nextRun'
import { inReadingOrder, secondsOfCauses, severityOf, verdictOf } from './order'
import { unexplainedOf } from './unexplained'

/** Threshold id → the number in force; a threshold that is not given keeps the document's. */
export type Thresholds = Readonly<Record<string, number>>

const MOST_PLACES = 16
const EMPTY: ConditionNode = { kind: 'all_of', answer: null, of: [] }

/** A stored document decided under its own thresholds. */
export function decide(stored: StoredDocument): CaseDocument {
  const job = metricsOf(stored.metrics, stored)
  const files = new Map(stored.groups.map((group) => [group.id, group.files]))
  return evaluate(
    {
      ...stored,
      metrics: job,
      groups: stored.groups.map((group) => ({
        ...group,
        metrics: { ...job, ...metricsOf(group.metrics, stored) },
      })),
      thresholds: Object.values(stored.thresholds),
      findings: stored.findings.map((finding) => undecided(finding, files.get(finding.scope.id) ?? null)),
    },
    {},
  )
}

/** The document decided under `thresholds`. */
export function evaluate(document: CaseDocument, thresholds: Thresholds): CaseDocument {
  const inForce = Object.fromEntries(
    document.thresholds.map((t): [string, ThresholdInForce] => [
      t.id,
      { ...t, value: thresholds[t.id] ?? t.value },
    ]),
  )
  const significance = answered(document.significance, document.metrics, inForce)
  const scopes = new Map(document.groups.map(({ id, metrics }) => [id, metrics]))
  const asked = document.findings.map((finding) => {
    const metrics = scopes.get(finding.scope.id) ?? document.metrics
    return ask(finding, document, metrics, inForce, significance)
  })
  const smallShare = isSmall(document.metrics, inForce)
  const basis = basisOf(document, inForce)
  const findings = decided(asked, significance.answer, smallShare, basis)
  const unexplained = unexplainedOf(findings, basis, significance.answer, document.investigations)
  return {
    ...document,
    thresholds: Object.values(inForce),
    findings,
    headline: headlineOf(findings, { ...document, unexplained }, inForce, significance.answer, smallShare),
    next_run: nextRunOf(findings, document),
    unexplained,
  }
}

/** Whether the I/O is known to be a small share of the run, which does not wait for ranks that take turns. */
function isSmall(metrics: Metrics, thresholds: InForce): boolean {
  if (!(SMALL_SHARE.threshold in thresholds)) return false
  const [small, inTurns] = [SMALL_SHARE, TURNS].map((of) => answered(of, metrics, thresholds).answer)
  return small === true && inTurns !== true
}

const undecided = (finding: StoredFinding | RuledOut, files: number | null): Finding => ({
  ...('reason' in finding ? ruledOut(finding) : { ...finding, reason: null }),
  files,
  requires: EMPTY,
  condition: EMPTY,
  supports: [],
  significance: null,
  base_severity: 'info',
  explains: [],
  claims: [],
  takes_s: null,
  could_save_at_least_s: null,
  could_save_s: null,
  leads: false,
  citations: [],
  headline: null,
  summary: null,
  impact: null,
  where: [],
  settling: [],
})

/** The fields of a finding that holds under no thresholds: beside its reason, all are empty. */
const ruledOut = (finding: RuledOut) => ({
  ...finding,
  clear_title: finding.title,
  confidence: 'measured' as const,
  says: null,
  advice: [],
  given_way: [],
  error: null,
})

/** The findings with severity, cause and seconds, in reading order, the advice of none contradicting another's. */
function decided(
  findings: readonly Finding[],
  significant: Answer,
  smallShare: boolean,
  basis: ReturnType<typeof basisOf>,
): Finding[] {
  const graded = findings.map((finding) => {
    const explained_by = causeOf(finding, findings, basis)
    const { weighed } = finding
    const severity = severityOf(finding.verdict, finding.base_severity, {
      weighed,
      significant,
      explained: explained_by !== null,
      smallShare,
    })
    return { ...finding, explained_by, severity }
  })
  const allotment = allotSeconds(graded, basis)
  const timed = graded.map((finding) => ({
    finding: withSeconds(finding, allotment, basis.account),
    reaches: allotment?.reaches.get(finding) ?? 0,
  }))
  const ofRules = secondsOfCauses(timed.map(({ finding }) => finding))
  const weighed = timed.map(({ finding, reaches }) => withoutSeconds(finding, reaches, ofRules, basis))
  return withoutContradictions(inReadingOrder(weighed, shortestRanked(basis.thresholds)))
}

/** Adds the seconds that the finding takes, and those that its cure could save; where part of the time is not known,
 * the saving has no bounds. */
function withSeconds(
  finding: Finding,
  allotment: ReturnType<typeof allotSeconds>,
  account: CaseDocument['account'],
): Finding {
  const takes_s = allotment?.takes.get(finding) ?? null
  const reaches = allotment?.reaches.get(finding) ?? null
  const known = account !== null && !account.partial && takes_s !== null && reaches !== null
  const saved =
    known && finding.impact
      ? savingOf(finding.impact, takes_s, reaches, totalOf(account.cells), account.runtime_s)
      : null
  const [could_save_at_least_s, could_save_s] = saved ?? [null, null]
  return { ...finding, takes_s, could_save_at_least_s, could_save_s }
}

/** The seconds from which a cause is more than a note. */
function worthAFault(account: Account): number {
  const ofRun = LITTLE_OF_RUN * shortestRun(account)
  if (account.basis !== 'Darshan') return ofRun
  return Math.max(nothingOf(account), Math.min(LITTLE_OF_IO * totalOf(account.cells), ofRun))
}

/** The seconds from which a fault is more than a low one. Those that decide nothing in a run of any length are no more
 * where its length is unknown. */
function worthMoreThanLow(account: Account, thresholds: InForce): number {
  const ofRun = LOW_OF_RUN * shortestRun(account)
  return account.runtime_s === null ? Math.max(ofRun, shortestRanked(thresholds)) : ofRun
}

/** The run's seconds; where nothing tells them, those of its I/O, for it was no shorter. */
const shortestRun = ({ runtime_s, cells }: Account): number => runtime_s ?? totalOf(cells)

/** The seconds below which a finding has practically none of the I/O time; 0 for an account that is incomplete. */
const nothingOf = ({ basis, cells }: Account): number =>
  basis === 'Darshan' ? NOTHING_LEFT * totalOf(cells) : 0

/** Sources whose accounts, where they are not partial, have all the seconds of reads and writes. */
const EVERY_SECOND: Account['basis'][] = ['Darshan', 'CrayPAT']

/** A note instead of a fault, where the account has every second and the cause claims few of them in all groups of files
 * together (`ofRules`), or nothing of them here; and a low one where it claims few of the run's. Of a partial account a
 * note too, where others took all that it claims of the seconds that are known: those that are not may be its own. */
function withoutSeconds(
  finding: Finding,
  reaches: number,
  ofRules: ReadonlyMap<string, number>,
  { account, thresholds }: ReturnType<typeof basisOf>,
): Finding {
  const { takes_s, weighed, severity } = finding
  if (account === null || !EVERY_SECOND.includes(account.basis) || takes_s === null) return finding
  if (account.partial && account.basis !== 'Darshan') return finding
  const nothing = NOTHING_LEFT * totalOf(account.cells)
  if (account.partial && (takes_s >= nothing || reaches < nothing)) return finding
  if (!weighed || severity === 'info') return finding
  const together = ofRules.get(finding.rule) ?? takes_s
  if (together < worthAFault(account) || takes_s < nothingOf(account)) return { ...finding, severity: 'info' }
  return together < worthMoreThanLow(account, thresholds) ? { ...finding, severity: 'low' } : finding
}

/** A finding with its rule's conditions answered, and the words in force. */
function ask(
  finding: Finding,
  document: CaseDocument,
  metrics: Metrics,
  thresholds: InForce,
  significance: ConditionNode,
): Finding {
  const rule = finding.reason === null ? document.rules[finding.rule] : undefined
  const requires = rule ? answered(rule.requires, metrics, thresholds) : EMPTY
  const condition = rule ? answered(rule.condition, metrics, thresholds) : EMPTY
  const fixed = !rule || finding.error !== null
  const verdict = fixed ? finding.verdict : verdictOf(requires.answer, condition.answer)
  const says = verdict === 'triggered' ? finding.says : null
  return {
    ...finding,
    verdict,
    requires,
    condition,
    supports: rule?.supports.map((node) => answered(node, metrics, thresholds)) ?? [],
    significance: rule && finding.weighed ? significance : null,
    base_severity: rule?.severity ?? 'info',
    explains: rule?.explains ?? [],
    claims: rule?.claims ?? [],
    leads: rule?.leads ?? false,
    citations: rule?.citations ?? [],
    headline: says?.headline ?? null,
    summary: says?.summary ?? null,
    impact: says?.impact ?? null,
    takes_s: null,
    could_save_at_least_s: null,
    could_save_s: null,
    advice: says?.advice ?? [],
    given_way: [],
    where: placesOf(condition),
    settling: verdict === 'unknown' ? settlingOf(requires, condition, document) : [],
  }
}

function placesOf(condition: ConditionNode): Finding['where'] {
  const places = new Map(
    leavesOf(condition)
      .flatMap((leaf) => leaf.where)
      .map((place) => [JSON.stringify(place), place]),
  )
  return [...places.values()].slice(0, MOST_PLACES)
}

function settlingOf(
  requires: ConditionNode,
  condition: ConditionNode,
  { missing_evidence }: CaseDocument,
): Settling[] {
  const keys = evidenceThatSettles(requires, condition)
  return keys.flatMap((evidence) => {
    const missing = missing_evidence[evidence]
    return missing ? [{ evidence, ...missing }] : []
  })
}
