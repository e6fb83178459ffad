import { useState } from 'react'
import type { CaseDocument, Finding } from '../../analysis/caseDocument'
import type { CompareLeaf, ConditionNode, IsOneOfLeaf, Leaf, PresentLeaf } from '../../analysis/condition'
import { decidingLeaves, leavesOf, saysMore } from '../../analysis/condition'
import { boundsOfFigure } from '../../analysis/slowest'
import type { Setting } from '../../analysis/thresholds'
import { asSentence, exactly, format, plural } from '../../format'
import button from '../../ui/Button.module.css'
import { Cite } from '../../ui/cite/Cite'
import { DOT } from '../../ui/Dotted'
import { Missing } from '../../ui/Missing'
import { Num } from '../../ui/Num'
import { useCase } from '../CaseContext'
import { Bullet, type Tone } from './Bullet'
import css from './Bullet.module.css'
import { marksOf } from './marks'

type Role = 'condition' | 'requirement' | 'severity' | 'supports, decides nothing'

interface Row {
  readonly leaf: Leaf
  readonly role: Role
  /** Whether the verdict depends on this comparison; the others are folded away. */
  readonly decides: boolean
}

/** The comparisons of a finding, each with its figure, its threshold, and who states that. */
export function BulletTable({
  finding,
  settings,
}: {
  finding: Finding
  settings: ReadonlyMap<string, Setting>
}) {
  const [all, setAll] = useState(false)
  if (finding.reason !== null) return <p className={css.reason}>{asSentence(finding.reason)}</p>
  const rows = rowsOf(finding)
  const shown = all ? rows : rows.filter((row) => row.decides)
  const folded = rows.length - shown.length
  return (
    <>
      <div className={css.rows}>
        {shown.map((row, i) => (
          <LeafRow
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a finding never change their order
            key={i}
            row={row}
            finding={finding}
            setting={row.leaf.kind === 'compare' ? settings.get(row.leaf.threshold_id) : undefined}
          />
        ))}
      </div>
      {(folded > 0 || all) && (
        <p className={css.fold}>
          <button type="button" className={button.link} onClick={() => setAll(!all)} aria-expanded={all}>
            {all
              ? 'Only what decides'
              : `${plural(folded, 'more comparison')}: alternatives, what follows from these, and what makes this job's I/O matter`}
          </button>
        </p>
      )}
    </>
  )
}

export function rowsOf(finding: Finding): Row[] {
  const rows = [
    ...leafRows(finding.condition, 'condition', decidingLeaves(finding.condition)),
    ...leafRows(finding.requires, 'requirement', decidingLeaves(finding.requires)),
    ...finding.supports.flatMap((node) => leafRows(node, 'supports, decides nothing', leavesOf(node))),
    ...(finding.significance ? leafRows(finding.significance, 'severity', []) : []),
  ]
  const shown = rows.some((row) => row.decides) ? rows : rows.map((row) => ({ ...row, decides: true }))
  return withoutWhatFollows(withPresenceOnce(onceEach(shown)))
}

/** Folds away conditions that a quantity is known where the same quantity is compared with something. */
function withPresenceOnce(rows: readonly Row[]): Row[] {
  const compared = new Set(
    rows.filter(({ leaf, decides }) => decides && leaf.kind !== 'present').map(({ leaf }) => leaf.metric),
  )
  return rows.map((row) =>
    row.leaf.kind === 'present' && compared.has(row.leaf.metric) ? { ...row, decides: false } : row,
  )
}

/** What is required to be at least 16 and found to be at least 512 is told once, by the row that says more; a requirement
 * hides no condition. */
function withoutWhatFollows(rows: readonly Row[]): Row[] {
  const deciding = rows.filter(({ decides }) => decides)
  const follows = ({ leaf, role }: Row) =>
    deciding.some(
      (other) => (other.role === role || other.role === 'condition') && saysMore(other.leaf, leaf),
    )
  return rows.map((row) => (row.decides && follows(row) ? { ...row, decides: false } : row))
}

/** Each comparison once, where it decides or else where it first occurs: alternatives may contain the same one, and
 * a requirement may be repeated. */
function onceEach(rows: readonly Row[]): Row[] {
  const found = new Map<string, Row>()
  for (const row of rows) {
    const { leaf } = row
    const key = JSON.stringify([
      leaf.kind,
      leaf.metric,
      leaf.kind === 'compare'
        ? [leaf.operator, leaf.threshold_id]
        : leaf.kind === 'is_one_of'
          ? leaf.words
          : null,
    ])
    const before = found.get(key)
    if (!before || (row.decides && !before.decides)) found.set(key, row)
  }
  return [...found.values()]
}

/** That a quantity is there is recognised by the comparisons with it: such rows decide only where nothing else does. */
function leafRows(node: ConditionNode, role: Role, deciding: readonly Leaf[]): Row[] {
  const numbers = deciding.some((leaf) => leaf.kind !== 'present')
  return leavesOf(node).map((leaf) => ({
    leaf,
    role,
    decides: deciding.includes(leaf) && (leaf.kind !== 'present' || !numbers),
  }))
}

function LeafRow({
  row: { leaf, role },
  finding,
  setting,
}: {
  row: Row
  finding: Finding
  setting: Setting | undefined
}) {
  const { cited, document } = useCase()
  const marks = leaf.kind === 'compare' ? marksOf(leaf, finding, document) : []
  const bounds = boundsOf(leaf, finding, document)
  return (
    <div className={css.row}>
      <div className={css.name}>
        {leaf.title}
        <small>{breakable(leaf.metric)}</small>
      </div>
      <Value leaf={leaf} bounds={bounds} />
      {leaf.kind === 'compare' ? (
        <div>
          <Bullet
            leaf={leaf}
            bounds={bounds}
            threshold={setting?.threshold}
            tone={toneOf(role, finding)}
            marks={marks}
          />
          {marks.length > 0 && (
            <p className={css.marks}>
              {marks.map(({ value, says }) => `◇ ${format(value, leaf.unit)} ${says}`).join(DOT)}
            </p>
          )}
          {leaf.answer === null && leaf.reason && <p className={css.reason}>{leaf.reason}</p>}
        </div>
      ) : (
        <Words leaf={leaf} />
      )}
      <div className={css.source}>
        <b>{role}</b>
        {leaf.kind === 'compare' && (
          <Cite
            document={leaf.stated_by.document}
            section={leaf.stated_by.section}
            rule={finding.rule}
            of={cited.get(leaf.stated_by.document)}
            says={leaf.stated_by.says}
          />
        )}
        {setting?.changed && (
          <span className={css.moved}>moved from {exactly(setting.given, setting.threshold.unit)}</span>
        )}
      </div>
    </div>
  )
}

/** The words before and behind a figure. A group of files that has no figure of its own is compared by the job's. */
export function boundsOf(
  leaf: Leaf,
  { scope }: Pick<Finding, 'scope'>,
  document: CaseDocument,
): readonly [before: string, behind: string] {
  if (leaf.kind !== 'compare') return ['', '']
  const metrics = document.groups.find(({ id }) => id === scope.id)?.metrics ?? document.metrics
  const ofJob = metrics[leaf.metric] === document.metrics[leaf.metric]
  return boundsOfFigure(leaf.metric, leaf, document, ofJob)
}

/** A metric's id may be broken after its dots and underscores. */
function breakable(id: string) {
  return id.split(/(?<=[._])/).flatMap((part) => [<wbr key={part} />, part])
}

function Value({
  leaf,
  bounds: [before, behind],
}: {
  leaf: Leaf
  bounds: readonly [before: string, behind: string]
}) {
  if (leaf.value === null) {
    return (
      <div className={css.value}>
        <small>
          <Missing reason={leaf.reason} />
        </small>
      </div>
    )
  }
  return (
    <div className={typeof leaf.value === 'string' ? css.wordValue : css.value}>
      {before !== '' && <small>{before}</small>}
      <Num value={leaf.value} unit={leaf.unit} />
      {behind !== '' && <small>{behind}</small>}
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

/** Colours of severity only for comparisons that decide; requirements and supporting evidence are neutral. */
function toneOf(role: Role, finding: Finding): Tone {
  if (role === 'supports, decides nothing') return 'info'
  if (role !== 'condition') return 'neutral'
  if (finding.verdict === 'triggered') return finding.severity
  return finding.verdict === 'clear' ? 'clear' : 'unknown'
}

/** The first deciding comparison of a finding, drawn small in lists. */
function firstComparison(finding: Finding): CompareLeaf | null {
  return leavesOf(finding.condition).find((leaf): leaf is CompareLeaf => leaf.kind === 'compare') ?? null
}

/** The first deciding figure of a clear finding, in words: "Average write: 4.00 MiB". */
export function figureOf(finding: Finding, document: CaseDocument): string | null {
  const leaf = firstComparison(finding)
  if (!leaf || leaf.value === null) return null
  const [before, behind] = boundsOf(leaf, finding, document)
  return `${leaf.title}: ${before}${format(leaf.value, leaf.unit)}${behind}`
}
