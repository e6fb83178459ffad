import { type CaseDocument, type Finding, sourceName } from '../analysis/caseDocument'
import { bindingLeaves, type CompareLeaf, decidingLeaves, type Leaf } from '../analysis/condition'
import type { Where } from '../api/types'
import type { Links } from '../charts/frame/linked'
import { groupName, linkName } from '../charts/frame/linkName'
import { placeOf } from '../evidence/EvidenceLink'
import type { EvidenceSearch } from '../evidence/search'
import { aboutOf } from '../findings/about'
import { thresholdWords } from '../findings/bullet/bulletScale'
import { baseName, format } from '../format'
import type { TimelineSearch } from '../timeline/search'
import type { Views } from './views'

/** What is to be seen at a step: the finding with its figures, what it costs or what mends it, the charts with marks lit
 * up, a part of the timeline, or the counter or line where a number stands. */
export type Scene =
  | { readonly kind: 'figures' | 'cost' | 'cure' }
  | { readonly kind: 'charts'; readonly links: Links }
  | { readonly kind: 'timeline'; readonly search: TimelineSearch }
  | { readonly kind: 'evidence'; readonly search: EvidenceSearch }

export interface Step {
  readonly words: string
  readonly scene: Scene
}

type Activity = NonNullable<CaseDocument['charts']['activity']>
type Span = Activity['groups'][number]['opened']

const FEWEST = 3
const MOST = 5

/** What a finding rests on, step by step; where its evidence is too little for that, what it costs and what mends it
 * follow. Where there is no view of the evidence, the place of a figure is said beside the figure. */
export function stepsOf(finding: Finding, document: CaseDocument, views: Views): readonly Step[] {
  if (finding.verdict !== 'triggered') return []
  const leaves = bindingLeaves(decidingLeaves(finding.condition)).filter((leaf) => leaf.value !== null)
  const links = aboutOf(finding, document)
  const rests = [
    ...figures(leaves),
    ...lit(links, document),
    ...(views.timeline ? moment(finding, links, document) : []),
    ...places(finding, leaves, document).map(
      (step): Step => (views.evidence ? step : { ...step, scene: FIGURES }),
    ),
  ].slice(0, MOST)
  const follows = [...cost(finding, document), ...cure(finding)].slice(0, Math.max(0, FEWEST - rests.length))
  const steps = [...rests, ...follows]
  return steps.length < FEWEST ? [] : steps
}

const FIGURES = { kind: 'figures' } as const

const isCompared = (leaf: Leaf): leaf is CompareLeaf => leaf.kind === 'compare'

function figures(leaves: readonly Leaf[]): Step[] {
  const compared = leaves.filter(isCompared).slice(0, 2)
  const said = compared.map(
    (leaf) =>
      `${leaf.title}: ${format(leaf.value ?? 0, leaf.unit)}, where the threshold is ${thresholdWords(leaf)}`,
  )
  return said.length > 0 ? [{ words: `${said.join('. ')}.`, scene: FIGURES }] : []
}

/** A direction alone is no place in a chart. */
function lit(links: Links, document: CaseDocument): Step[] {
  const named = links.filter((link) => link.kind !== 'direction')
  if (named.length === 0) return []
  const names = named.map((link) => linkName(link, document))
  const way = links.find((link) => link.kind === 'direction')
  const only = way ? `, its ${way.id}s alone` : ''
  return [{ words: `In every chart: ${names.join(', ')}${only}.`, scene: { kind: 'charts', links } }]
}

/** When it was: the longest stretch in which the files of the finding were used so, on the one timeline of the case. */
function moment(finding: Finding, links: Links, { charts }: CaseDocument): Step[] {
  const [traced, other] = charts.activity?.traces ?? []
  const when = longestUse(finding, links, charts.activity)
  if (!traced || other || !when) return []
  const rank = links.find((link) => link.kind === 'rank')
  const ost = links.find((link) => link.kind === 'ost')
  const pad = Math.max((when.span.to_s - when.span.from_s) * 0.05, traced.extent_s * 1e-4)
  const window = `${digits(Math.max(0, when.span.from_s - pad))}..${digits(Math.min(traced.extent_s, when.span.to_s + pad))}`
  const calls = traced.calls.length > 0
  const search: TimelineSearch = {
    t: window,
    op: when.way ?? 'both',
    ...(rank && { sel: window, rowsel: `${rank.id}..${rank.last ?? rank.id}` }),
    ...(ost && calls && { ost: String(ost.id), colour: 'ost' }),
  }
  const what = when.way ? (when.way === 'read' ? 'read' : 'written') : 'in use'
  const who = [rank && 'that rank is selected', ost && calls && `only calls on OST ${ost.id} are shown`]
  const also = who.filter(Boolean).join('; ')
  const words = `${groupName(when.label)}: ${what} from ${format(when.span.from_s, 's')} to ${format(when.span.to_s, 's')}${also && `; ${also}`}.`
  return [{ words, scene: { kind: 'timeline', search } }]
}

interface Use {
  readonly label: string
  readonly span: Span
  readonly way: 'read' | 'write' | null
}

function longestUse(finding: Finding, links: Links, activity: Activity | null): Use | null {
  const groups = (activity?.groups ?? []).filter(
    (group) => finding.scope.kind === 'job' || group.group === finding.scope.id,
  )
  const way = links.find((link) => link.kind === 'direction')?.id ?? null
  const uses = groups.flatMap((group): Use[] => [
    ...(way === 'write' ? [] : group.reads.map((span): Use => ({ label: group.label, span, way: 'read' }))),
    ...(way === 'read' ? [] : group.writes.map((span): Use => ({ label: group.label, span, way: 'write' }))),
  ])
  const lasts = ({ span }: Use) => span.to_s - span.from_s
  return uses.reduce<Use | null>((a, b) => (a && lasts(a) >= lasts(b) ? a : b), null)
}

const digits = (s: number) => Number(s.toPrecision(6))

function cost({ takes_s: takes }: Finding, { job, account }: CaseDocument): Step[] {
  if (takes === null || takes <= 0) return []
  const least = account?.partial ? 'at least ' : ''
  const of = job.runtime_s === null ? '' : `, in a run of ${format(job.runtime_s, 's')}`
  return [{ words: `It takes ${least}${format(takes, 's')} of the I/O time${of}.`, scene: { kind: 'cost' } }]
}

function cure({ advice }: Finding): Step[] {
  const [first] = advice.filter((one) => one.withheld === null)
  return first ? [{ words: `What to do: ${first.text}`, scene: { kind: 'cure' } }] : []
}

/** The counters and lines of the figures that decide, each place once. */
function places(finding: Finding, leaves: readonly Leaf[], document: CaseDocument): Step[] {
  const found = new Map<string, Step>()
  for (const leaf of leaves) {
    const where = leaf.where.find((one) => !isIdle(one, document)) ?? leaf.where[0]
    if (!where) continue
    const key = JSON.stringify(placeOf(where))
    if (!found.has(key)) found.set(key, placeStep(leaf.title, where, document))
  }
  const [where] = finding.where
  if (found.size === 0 && where) return [placeStep(finding.title, where, document)]
  return [...found.values()].slice(0, 2)
}

/** Whether the counter is of a direction in which the job moved nothing. */
function isIdle({ at }: Where, { metrics }: CaseDocument): boolean {
  if (at.kind === 'lines') return false
  const idle = (way: string) => metrics[`io.bytes_${way}`]?.value === 0
  return (at.counter.includes('READ') && idle('read')) || (at.counter.includes('WRIT') && idle('written'))
}

function placeStep(title: string, where: Where, document: CaseDocument): Step {
  const source = sourceName(document, where.source)
  const { at } = where
  const stands =
    at.kind === 'lines'
      ? `${at.first === at.last ? `line ${at.first}` : `lines ${at.first} to ${at.last}`} of ${source}`
      : `${at.counter} of ${at.file === null ? `all ${at.module} records` : baseName(at.file)}, in ${source}`
  return { words: `${title} is from ${stands}.`, scene: { kind: 'evidence', search: placeOf(where) } }
}
