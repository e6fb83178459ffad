import type { Finding } from '../analysis/caseDocument'
import { decidingLeaves, leavesOf } from '../analysis/condition'
import { groupName } from '../charts/frame/linkName'
import { asSentence, count, format, inWords, plural, uncapital } from '../format'
import button from '../ui/Button.module.css'
import { Command } from '../ui/Command'
import { RuleLink } from '../ui/RuleLink'
import { SeverityMark, SeverityWord } from '../ui/Severity'
import table from '../ui/Table.module.css'
import { figureOf } from './bullet/BulletTable'
import { thresholdWords } from './bullet/bulletScale'
import { useCase } from './CaseContext'
import { Disclosure } from './Disclosure'
import { FindingBody } from './FindingRow'
import css from './FindingRow.module.css'
import { CLEAR, keyOf, NOT_APPLICABLE, UNKNOWN } from './keys'

/** The finding's rule, which leads to its page, and the files that it is about. */
const RuleOf = ({ finding, files = 'muted small' }: { finding: Finding; files?: string | undefined }) => (
  <>
    <RuleLink className="mono" rule={finding.rule} title={finding.title}>
      {finding.rule}
    </RuleLink>
    {finding.scope.kind === 'group' && <span className={files}> {groupName(finding.scope.label)}</span>}
  </>
)

/** Findings that cannot be decided, grouped by the evidence that would settle them. */
export function UnknownGroup({ findings }: { findings: readonly Finding[] }) {
  const { sources } = useCase().document
  if (findings.length === 0) return null
  const groups = bySettling(findings)
  const unsettled = sources.every(({ status }) => status === 'complete') ? NOTHING_WOULD : A_WHOLE_LOG_MAY
  return (
    <Disclosure
      name={UNKNOWN}
      mark="unknown"
      title={undecidedWords(findings)}
      how={<SeverityWord mark="unknown" />}
    >
      <table className={`${table.table} ${css.unknownTable}`} aria-label="Findings that are not decided">
        <thead>
          <tr>
            <th scope="col" style={{ width: '20%' }}>
              rule
            </th>
            <th scope="col">what is not known</th>
            <th scope="col" style={{ width: '44%' }}>
              what would settle it
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.key}>
              <th scope="row">
                {group.findings.map((finding) => (
                  <div key={keyOf(finding)}>
                    <RuleOf finding={finding} files={css.ofFiles} />
                  </div>
                ))}
              </th>
              <td className="soft">
                <Reasons of={group.findings} />
              </td>
              <td>
                <div className="soft">{group.text ?? unsettled}</div>
                {group.lines.length > 0 && <Command small text={group.lines.join('\n')} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Disclosure>
  )
}

const NOTHING_WOULD = 'No evidence that we know of.'
const A_WHOLE_LOG_MAY = 'No evidence we know of; a complete log of the same run may.'

/** How many cannot be decided, and how many of them how many settings would settle. */
export function undecidedWords(findings: readonly Finding[]): string {
  const settled = bySettling(findings).filter(({ lines }) => lines.length > 0)
  const many = settled.reduce((sum, group) => sum + group.findings.length, 0)
  const which = many < findings.length ? `${inWords(many)} of them` : many === 1 ? 'it' : 'them'
  const settings = `${inWords(settled.length)} ${settled.length === 1 ? 'setting' : 'settings'}`
  const what = settled.length === 0 ? '' : `: ${settings} would settle ${which}`
  return `${plural(findings.length, 'finding')} cannot be decided${what}`
}

/** Reasons shown at first; the others can be unfolded. */
const MOST_REASONS = 3

function Reasons({ of }: { of: readonly Finding[] }) {
  const reasons = reasonsOf(of)
  const first = reasons.slice(0, reasons.length > MOST_REASONS + 1 ? MOST_REASONS : reasons.length)
  const rest = reasons.slice(first.length)
  return (
    <>
      {first.map((reason) => (
        <div key={reason}>{reason}</div>
      ))}
      {rest.length > 0 && (
        <details className={css.more}>
          <summary>{count(rest.length)} more reasons</summary>
          {rest.map((reason) => (
            <div key={reason}>{reason}</div>
          ))}
        </details>
      )}
    </>
  )
}

interface Group {
  readonly key: string
  /** The evidence that would settle them; null where none is known. */
  readonly text: string | null
  readonly lines: readonly string[]
  readonly findings: Finding[]
}

function bySettling(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, Group>()
  for (const finding of findings) {
    const settle = finding.settling[0]
    const key = settle?.evidence ?? ''
    const group = groups.get(key) ?? {
      key,
      text: settle ? asSentence(settle.text) : null,
      lines: settle?.lines ?? [],
      findings: [],
    }
    group.findings.push(finding)
    groups.set(key, group)
  }
  return [...groups.values()].sort((a, b) => Number(b.lines.length > 0) - Number(a.lines.length > 0))
}

/** How the title of a variable ends, whose name the reason has. */
const AS_SET = / as set$/

/** Why findings are unknown: each reason once, with the quantities that have no answer for it. */
export function reasonsOf(findings: readonly Pick<Finding, 'condition' | 'requires'>[]): string[] {
  const open = findings
    .flatMap(({ condition, requires }) => [condition, requires].flatMap(leavesOf))
    .filter((leaf) => leaf.answer === null)
  const without = new Map<string, Set<string>>()
  for (const leaf of open) {
    const bound = leaf.kind === 'compare' && leaf.bound === 'lower' && leaf.value !== null
    const reason = bound ? 'only a lower bound is known' : (leaf.reason ?? 'not in the evidence')
    without.set(reason, (without.get(reason) ?? new Set()).add(leaf.title))
  }
  return [...without].map(([reason, quantities]) => {
    const titles = [...quantities].filter((title) => !reason.includes(title.replace(AS_SET, '')))
    const named = titles.slice(0, titles.length > MOST_NAMED + 1 ? MOST_NAMED : titles.length).map(uncapital)
    const more = titles.length - named.length
    const others = more > 0 ? `; and ${count(more)} more` : ''
    const why = asSentence(reason).replace(/\.$/, '')
    return named.length > 0 ? `${why}: ${named.join('; ')}${others}.` : `${why}.`
  })
}

/** Quantities named for one reason. */
const MOST_NAMED = 3

/** What is in order, with the reason for each: that nothing is wrong is information, too. */
export function ClearGroup({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  const titles = [...new Set(findings.map((f) => f.clear_title.replace(/\.$/, '')))]
  const few = titles.slice(0, 3).map(uncapital)
  return (
    <Disclosure
      name={CLEAR}
      mark="clear"
      quiet
      title={`${plural(findings.length, 'finding')} clear: ${few.join('; ')}${titles.length > few.length ? ' …' : ''}`}
      how={<SeverityWord mark="clear" />}
    >
      <ul className={css.clearList}>
        {findings.map((finding) => (
          <ClearFinding key={keyOf(finding)} finding={finding} />
        ))}
      </ul>
    </Disclosure>
  )
}

/** One clear finding with its reason; its comparisons can be unfolded where a threshold could change it. */
function ClearFinding({ finding }: { finding: Finding }) {
  const { document, isOpen, toggle } = useCase()
  const key = keyOf(finding)
  const open = finding.reason === null && isOpen(key)
  const figure = figureOf(finding, document)
  return (
    <li>
      <SeverityMark mark="clear" />
      <div>
        <RuleOf finding={finding} />
      </div>
      <div>
        {asSentence(finding.clear_title)}{' '}
        <span className="soft">
          {finding.reason !== null ? (
            asSentence(finding.reason)
          ) : (
            <button
              type="button"
              className={button.link}
              onClick={() => toggle(key)}
              aria-expanded={open}
              aria-label={`The figures of ${finding.rule}, ${groupName(finding.scope.label)}`}
            >
              {figure ?? 'figures'}
            </button>
          )}
        </span>
      </div>
      {open && (
        <div className={css.figures}>
          <FindingBody finding={{ ...finding, summary: null, advice: [], impact: null }} />
        </div>
      )}
    </li>
  )
}

export function NotApplicableGroup({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  return (
    <Disclosure
      name={NOT_APPLICABLE}
      mark="not_applicable"
      quiet
      title={`${plural(findings.length, 'rule')} ${findings.length === 1 ? 'does' : 'do'} not apply to this job`}
      how="not judged"
    >
      <table className={table.table} aria-label="Rules that do not apply">
        <thead>
          <tr>
            <th scope="col">rule</th>
            <th scope="col">what it would need</th>
          </tr>
        </thead>
        <tbody>
          {findings.map((finding) => (
            <tr key={keyOf(finding)}>
              <th scope="row">
                <RuleOf finding={finding} />
              </th>
              <td className="soft">{unmet(finding)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Disclosure>
  )
}

/** The requirements that are not met, each with what was found instead. */
function unmet(finding: Finding): string {
  if (finding.reason !== null) return asSentence(finding.reason)
  const words = decidingLeaves(finding.requires).map((leaf) => {
    if (leaf.kind === 'present') return leaf.reason ?? `${leaf.title} is not in the evidence`
    if (leaf.kind === 'is_one_of')
      return `${leaf.title}: ${leaf.words.join(' or ')}; here ${leaf.value ?? 'not known'}`
    const here = leaf.value === null ? 'not known' : format(leaf.value, leaf.unit)
    return `${leaf.title} ${thresholdWords(leaf)}; here ${here}`
  })
  return [...new Set(words)].map(asSentence).join(' ') || finding.title
}
