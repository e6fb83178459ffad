import { leavesOf } from '../analysis/evaluate'
import type { Setting } from '../analysis/thresholds'
import type { CompareLeaf, ConditionNode, Finding, IsOneOfLeaf, Leaf, PresentLeaf } from '../api/types'
import { quantity, shownUnit } from '../format'
import { Cite } from '../ui/Cite'
import { Missing } from '../ui/Missing'
import { Num } from '../ui/Num'
import { Bullet, type Tone } from './Bullet'
import css from './Bullet.module.css'
import { exactly, leafUnit, thresholdUnit } from './bulletScale'

type Role = 'condition' | 'requirement' | 'severity' | 'supports, decides nothing'

interface Row {
  readonly leaf: Leaf
  readonly role: Role
  /** How many alternatives it is one of, where any one suffices. */
  readonly of: number
}

/** Every comparison of a finding, with its figure, its threshold, and whose number that is. */
export function BulletTable({
  finding,
  settings,
  titles,
}: {
  finding: Finding
  settings: ReadonlyMap<string, Setting>
  /** Document key → title, for hovering over a citation. */
  titles: ReadonlyMap<string, string>
}) {
  const rows = [
    ...rowsOf(finding.condition, 'condition'),
    ...rowsOf(finding.requires, 'requirement'),
    ...(finding.matters ? rowsOf(finding.matters, 'severity') : []),
    ...finding.supports.flatMap((node) => rowsOf(node, 'supports, decides nothing')),
  ]
  return (
    <div className={css.rows}>
      {rows.map((row, i) => (
        <LeafRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a finding never change their order
          key={i}
          row={row}
          finding={finding}
          setting={row.leaf.kind === 'compare' ? settings.get(row.leaf.threshold_id) : undefined}
          titles={titles}
        />
      ))}
    </div>
  )
}

function rowsOf(node: ConditionNode, role: Role): Row[] {
  if (node.kind === 'any_of') {
    return node.of.flatMap((part) => leavesOf(part).map((leaf) => ({ leaf, role, of: node.of.length })))
  }
  if (node.kind === 'all_of') return node.of.flatMap((part) => rowsOf(part, role))
  return [{ leaf: node, role, of: 1 }]
}

function LeafRow({
  row: { leaf, role, of },
  finding,
  setting,
  titles,
}: {
  row: Row
  finding: Finding
  setting: Setting | undefined
  titles: ReadonlyMap<string, string>
}) {
  return (
    <div className={css.row}>
      <div className={css.name}>
        {leaf.title}
        <small>{leaf.metric}</small>
      </div>
      <Value leaf={leaf} setting={setting} />
      {leaf.kind === 'compare' ? (
        <div>
          <Bullet leaf={leaf} threshold={setting?.threshold} tone={toneOf(role, finding)} />
          {leaf.answer === null && leaf.reason && <p className={css.reason}>{leaf.reason}</p>}
        </div>
      ) : (
        <Words leaf={leaf} />
      )}
      <div className={css.source}>
        <b>{of > 1 ? `${role}: any of ${of} suffices` : role}</b>
        {leaf.kind === 'compare' && (
          <Cite
            document={leaf.source.document}
            section={leaf.source.section}
            rule={finding.rule}
            title={[titles.get(leaf.source.document), leaf.source.says].filter(Boolean).join(': ')}
          />
        )}
        {setting?.changed && (
          <span className={css.moved}>
            moved from {exactly(setting.given, thresholdUnit(setting.threshold, leaf.metric))}
          </span>
        )}
      </div>
    </div>
  )
}

function Value({ leaf, setting }: { leaf: Leaf; setting: Setting | undefined }) {
  if (leaf.value === null) {
    return (
      <div className={css.value}>
        <small>
          <Missing reason={leaf.reason} />
        </small>
      </div>
    )
  }
  const unit =
    leaf.kind === 'compare' ? leafUnit(leaf, setting?.threshold) : shownUnit(leaf.unit, leaf.metric)
  const bound = leaf.kind === 'compare' && leaf.bound === 'lower'
  return (
    <div className={css.value}>
      {bound && <small>at least</small>}
      <Num value={leaf.value} unit={unit} />
      {leaf.confidence === 'inferred' && <small>inferred</small>}
    </div>
  )
}

function Words({ leaf }: { leaf: IsOneOfLeaf | PresentLeaf }) {
  if (leaf.kind === 'present') {
    return (
      <p className={css.reason}>
        {leaf.value === null ? (leaf.reason ?? 'not in the evidence') : 'is in the evidence'}
      </p>
    )
  }
  return (
    <div className={css.words}>
      {leaf.words.map((word) => (
        <span key={word} className={word === leaf.value ? css.chosen : ''}>
          {word}
        </span>
      ))}
      {leaf.value !== null && !leaf.words.includes(String(leaf.value)) && (
        <span className={css.chosen}>{leaf.value}: not one of these</span>
      )}
      {leaf.value === null && leaf.reason && <p className={css.reason}>{leaf.reason}</p>}
    </div>
  )
}

/** Severity colours only on what decides; requirements and supporting evidence are neutral. */
function toneOf(role: Role, finding: Finding): Tone {
  if (role === 'supports, decides nothing') return 'info'
  if (role !== 'condition') return 'neutral'
  if (finding.verdict === 'triggered') return finding.severity
  return finding.verdict === 'clear' ? 'clear' : 'unknown'
}

/** The comparison a finding stands on first, small: for lists. */
export function firstComparison(finding: Finding): CompareLeaf | null {
  return leavesOf(finding.condition).find((leaf): leaf is CompareLeaf => leaf.kind === 'compare') ?? null
}

/** "0 of 35,840 …" cannot be known here: the figure of the first comparison, for lists of clear findings. */
export function figureOf(finding: Finding, settings: ReadonlyMap<string, Setting>): string | null {
  const leaf = firstComparison(finding)
  if (!leaf || leaf.value === null) return null
  const { number, unit } = quantity(leaf.value, leafUnit(leaf, settings.get(leaf.threshold_id)?.threshold))
  return unit ? `${number}\u202f${unit}` : number
}
