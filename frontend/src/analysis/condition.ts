/** Evaluates conditions in three values: true, false, and unknown where evidence is missing. The same as
 * `iotriage.analysis.decision.condition`; both are tested on one file of vectors. */
import type { Condition, Metric, Operator, ThresholdInForce, Unit } from '../api/types'
import type { Metrics } from './metrics'

export type Answer = boolean | null
/** By id; the number of each is the one in force. */
export type InForce = Readonly<Record<string, ThresholdInForce>>

interface Answered {
  readonly metric: string
  readonly title: string
  readonly unit: Unit
  readonly value: number | string | null
  readonly answer: Answer
  /** Why the answer is unknown. */
  readonly reason: string | null
  readonly confidence: Metric['confidence']
  readonly where: Metric['where']
  readonly settled_by: readonly string[]
}

/** A comparison with its figures. */
export interface CompareLeaf extends Answered {
  readonly kind: 'compare'
  readonly operator: Operator
  readonly threshold_id: string
  readonly threshold: number
  readonly stated_by: ThresholdInForce['stated_by']
  readonly bound: Metric['bound']
}

export interface IsOneOfLeaf extends Answered {
  readonly kind: 'is_one_of'
  readonly words: readonly string[]
}

export interface PresentLeaf extends Answered {
  readonly kind: 'present'
}

export type Leaf = CompareLeaf | IsOneOfLeaf | PresentLeaf

interface Parts {
  readonly kind: 'all_of' | 'any_of'
  readonly answer: Answer
  readonly of: readonly ConditionNode[]
}

export type ConditionNode = CompareLeaf | IsOneOfLeaf | PresentLeaf | Parts

const NOT_COMPUTED = 'This quantity is not computed for this scope.'
const LOWER_BOUND = 'The evidence is partial: the true figure may be larger than the one seen.'
const NOT_A_NUMBER = 'This quantity is a word; it cannot be compared with a number.'

/** The condition with its answer, and with the figures of each comparison. */
export function answered(condition: Condition, metrics: Metrics, thresholds: InForce): ConditionNode {
  if (condition.kind === 'all_of' || condition.kind === 'any_of') {
    const of = condition.of.map((part) => answered(part, metrics, thresholds))
    const answers = of.map((part) => part.answer)
    return { kind: condition.kind, of, answer: condition.kind === 'all_of' ? allOf(answers) : anyOf(answers) }
  }
  const metric = metrics[condition.metric]
  const answer = answerOf(condition, metric, thresholds)
  const common = {
    metric: condition.metric,
    title: metric?.title ?? condition.metric,
    unit: metric?.unit ?? '1',
    value: metric?.value ?? null,
    answer,
    confidence: metric?.confidence ?? null,
    where: metric?.where ?? [],
    settled_by: metric?.settled_by ?? [],
    reason: reasonOf(condition, metric, answer),
  }
  if (condition.kind === 'present') return { ...common, kind: 'present' }
  if (condition.kind === 'is_one_of') return { ...common, kind: 'is_one_of', words: condition.words }
  const threshold = inForce(thresholds, condition.threshold)
  return {
    ...common,
    kind: 'compare',
    operator: condition.operator,
    threshold_id: threshold.id,
    threshold: threshold.value,
    stated_by: threshold.stated_by,
    bound: metric?.bound ?? null,
  }
}

type LeafCondition = Exclude<Condition, { of: unknown }>

function answerOf(leaf: LeafCondition, metric: Metric | undefined, thresholds: InForce): Answer {
  if (leaf.kind === 'present') return metric !== undefined && metric.value !== null
  if (metric === undefined) return null
  if (leaf.kind === 'is_one_of')
    return metric.value === null ? null : leaf.words.includes(String(metric.value))
  return compare(metric.value, leaf.operator, inForce(thresholds, leaf.threshold).value, metric.bound)
}

function inForce(thresholds: InForce, id: string): ThresholdInForce {
  const found = thresholds[id]
  if (!found) throw new Error(`The document lacks the threshold ${id}.`)
  return found
}

function reasonOf(leaf: LeafCondition, metric: Metric | undefined, answer: Answer): string | null {
  if (metric === undefined) return NOT_COMPUTED
  if (metric.value === null) return metric.reason
  if (answer !== null || leaf.kind !== 'compare') return null
  return typeof metric.value === 'string' ? NOT_A_NUMBER : LOWER_BOUND
}

/** Unknown where there is no number, and where the value is a lower bound and the true figure could give the other
 * answer. */
function compare(
  value: number | string | null,
  operator: Operator,
  threshold: number,
  bound: 'lower' | null,
): Answer {
  if (typeof value !== 'number') return null
  const answer = holds(value, operator, threshold)
  if (bound !== 'lower') return answer
  if (operator === '>' || operator === '>=') return answer ? true : null
  if (operator === '<' || operator === '<=') return answer ? null : false
  return null
}

function holds(value: number, operator: Operator, threshold: number): boolean {
  switch (operator) {
    case '>':
      return value > threshold
    case '>=':
      return value >= threshold
    case '<':
      return value < threshold
    case '<=':
      return value <= threshold
    case '==':
      return value === threshold
    case '!=':
      return value !== threshold
  }
}

/** False where any is false, else unknown where any is unknown, else true (true of nothing). */
function allOf(answers: readonly Answer[]): Answer {
  if (answers.includes(false)) return false
  return answers.includes(null) ? null : true
}

/** True where any is true, else unknown where any is unknown, else false (false of nothing). */
function anyOf(answers: readonly Answer[]): Answer {
  if (answers.includes(true)) return true
  return answers.includes(null) ? null : false
}

/** The comparisons of a tree, from left to right. */
export function leavesOf(node: ConditionNode): Leaf[] {
  return 'of' in node ? node.of.flatMap(leavesOf) : [node]
}

/** The value of a metric of words for which no source tells which word holds. */
const NOT_KNOWN = 'unknown'

/** Comparisons that keep a condition from being false where records, or figures in them, are missing. They are never
 * true. */
export const NEVER_HOLD: ReadonlySet<string> = new Set([
  'evidence.records_missing',
  'balance.ranks_uncounted',
])

/** The comparisons an answer rests on: what made it true, what made it false, or what keeps it unknown. */
export function decidingLeaves(node: ConditionNode): Leaf[] {
  if (!('of' in node)) return isNoReason(node) ? [] : [node]
  return node.of.filter((part) => part.answer === node.answer).flatMap(decidingLeaves)
}

/** Keys of evidence that could decide a finding that is unknown: by showing that its rule does not apply, or that
 * its condition is false; or, where nothing else keeps it unknown, that both hold. */
export function evidenceThatSettles(requires: ConditionNode, condition: ConditionNode): string[] {
  const neither = [evidenceFor(requires, false), evidenceFor(condition, false)]
  const both = [evidenceFor(requires, true), evidenceFor(condition, true)]
  const ways = [...neither, ...(both.includes(null) ? [] : both)]
  const decides = new Set(ways.flatMap((way) => way ?? []))
  const unknown = [requires, condition].flatMap(leavesOf).filter((leaf) => leaf.answer === null)
  return [...new Set(unknown.flatMap((leaf) => leaf.settled_by))].filter((key) => decides.has(key))
}

/** Keys of evidence that could make the answer `wanted`. None where it is that already; null where no evidence can
 * tell, or where the answer is the opposite. */
function evidenceFor(node: ConditionNode, wanted: boolean): readonly string[] | null {
  if (node.answer !== null) return node.answer === wanted ? [] : null
  if (!('of' in node)) {
    const never = wanted && NEVER_HOLD.has(node.metric)
    return never || node.settled_by.length === 0 ? null : node.settled_by
  }
  const known = node.of.map((part) => evidenceFor(part, wanted)).filter((way) => way !== null)
  const enough = wanted === (node.kind === 'all_of') ? node.of.length : 1
  return known.length >= enough ? known.flat() : null
}

/** Comparisons that are not given as reasons: that a word is unknown excludes nothing, and that no records are
 * missing is the normal case. */
function isNoReason(leaf: Leaf): boolean {
  if (leaf.kind !== 'is_one_of') return false
  if (leaf.answer === false) return NEVER_HOLD.has(leaf.metric)
  return leaf.answer === true && leaf.value === NOT_KNOWN
}

/** Whether `one` implies `other`, and not the reverse: "at least 3" implies "at least 1.5". */
export function saysMore(one: Leaf, other: Leaf): boolean {
  if (one.metric !== other.metric || one.answer !== other.answer || one.answer === null) return false
  if (one.kind === 'is_one_of' && other.kind === 'is_one_of') {
    const [fewer, more] = one.answer ? [one.words, other.words] : [other.words, one.words]
    return fewer.length < more.length && fewer.every((word) => more.includes(word))
  }
  if (one.kind !== 'compare' || other.kind !== 'compare' || one.threshold === other.threshold) return false
  const both = (way: readonly Operator[]) => way.includes(one.operator) && way.includes(other.operator)
  if (both(UPWARDS)) return one.threshold > other.threshold === one.answer
  return both(DOWNWARDS) && one.threshold < other.threshold === one.answer
}

const UPWARDS: readonly Operator[] = ['>', '>=']
const DOWNWARDS: readonly Operator[] = ['<', '<=']

/** The strictest comparisons of each quantity. */
export const bindingLeaves = (leaves: readonly Leaf[]): Leaf[] =>
  leaves.filter((leaf) => !leaves.some((other) => saysMore(other, leaf)))

/** Of the comparisons with the quantity of `like` that hold, the one at which the tree's answer changes as the
 * quantity moves away: in an all-of the first that fails, in an any-of the last. */
export function lastToHold(node: ConditionNode, like: CompareLeaf): CompareLeaf | undefined {
  if ('of' in node) {
    const parts = node.of.flatMap((part) => lastToHold(part, like) ?? [])
    const isFurther = (one: Leaf, other: Leaf) =>
      node.kind === 'all_of' ? saysMore(one, other) : saysMore(other, one)
    return parts.find((one) => !parts.some((other) => isFurther(other, one)))
  }
  const isOfIt = node.kind === 'compare' && node.metric === like.metric && node.answer === true
  return isOfIt ? node : undefined
}
