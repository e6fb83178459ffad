import { decidingLeaves, leavesOf } from '../analysis/condition'
import type { Finding } from '../analysis/decided'
import { asSentence, format, inWords, plural } from '../format'
import button from '../ui/Button.module.css'
import { Command } from '../ui/Command'
import { RuleLink } from '../ui/RuleLink'
import { SeverityMark, SeverityWord } from '../ui/Severity'
import table from '../ui/Table.module.css'
import { figureOf } from './bullet/BulletTable'
import { thresholdWords } from './bullet/bulletScale'
import { useCase } from './CaseContext'
import { FindingBody } from './FindingRow'
import css from './FindingRow.module.css'
import { Folder } from './Folder'
import { CLEAR, keyOf, NOT_APPLICABLE, UNKNOWN } from './keys'

/** What cannot be decided, grouped by the evidence that would settle it. */
export function UnknownGroup({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  const groups = bySettling(findings)
  const settled = groups.filter((g) => g.lines.length > 0).length
  const what =
    settled === 0
      ? ''
      : `: ${inWords(settled)} ${settled === 1 ? 'setting' : 'settings'} would settle ${findings.length === 1 ? 'it' : 'them'}`
  return (
    <Folder
      name={UNKNOWN}
      mark="unknown"
      title={`${plural(findings.length, 'finding')} cannot be decided${what}`}
      how={<SeverityWord mark="unknown" />}
    >
      <table className={`${table.table} ${css.unknownTable}`}>
        <thead>
          <tr>
            <th scope="col">rule</th>
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
                    <RuleLink className="mono" rule={finding.rule} title={finding.title}>
                      {finding.rule}
                    </RuleLink>
                    {finding.scope.kind === 'group' && (
                      <span className="muted small"> {finding.scope.label}</span>
                    )}
                  </div>
                ))}
              </th>
              <td className="soft">
                {group.reasons.map((reason) => (
                  <div key={reason}>{reason}</div>
                ))}
              </td>
              <td>
                <div className="soft">{group.text}</div>
                {group.lines.length > 0 && <Command small text={group.lines.join('\n')} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Folder>
  )
}

interface Group {
  readonly key: string
  readonly text: string
  readonly lines: readonly string[]
  readonly findings: Finding[]
  readonly reasons: string[]
}

function bySettling(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, Group>()
  for (const finding of findings) {
    const settle = finding.settling[0]
    const key = settle?.evidence ?? ''
    const group = groups.get(key) ?? {
      key,
      text:
        (settle && asSentence(settle.text)) ?? 'No evidence we know of; a complete log of the same run may.',
      lines: settle?.lines ?? [],
      findings: [],
      reasons: [],
    }
    group.findings.push(finding)
    for (const reason of reasonsOf(finding)) if (!group.reasons.includes(reason)) group.reasons.push(reason)
    groups.set(key, group)
  }
  return [...groups.values()].sort((a, b) => Number(b.lines.length > 0) - Number(a.lines.length > 0))
}

/** Why a finding is unknown: the quantities that have no answer, each with its reason. */
function reasonsOf(finding: Finding): string[] {
  const open = [finding.condition, finding.requires].flatMap(leavesOf).filter((leaf) => leaf.answer === null)
  return [
    ...new Set(
      open.map((leaf) => {
        const bound = leaf.kind === 'compare' && leaf.bound === 'lower' && leaf.value !== null
        return `${leaf.title}: ${bound ? 'only a lower bound is known.' : (leaf.reason ?? 'not in the evidence.')}`
      }),
    ),
  ]
}

/** Absence of trouble is information: counted, each with why. */
export function ClearGroup({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  const few = findings.slice(0, 3).map((f) => f.clear_title.replace(/\.$/, ''))
  return (
    <Folder
      name={CLEAR}
      mark="clear"
      quiet
      title={`${plural(findings.length, 'finding')} clear: ${few.join('; ')}${findings.length > 3 ? ' …' : ''}`}
      how={<SeverityWord mark="clear" />}
    >
      <ul className={css.clearList}>
        {findings.map((finding) => (
          <ClearFinding key={keyOf(finding)} finding={finding} />
        ))}
      </ul>
    </Folder>
  )
}

/** What is right, and why; its comparisons open where a threshold could change it. */
function ClearFinding({ finding }: { finding: Finding }) {
  const { isOpen, toggle } = useCase()
  const key = keyOf(finding)
  const open = finding.reason === null && isOpen(key)
  const figure = figureOf(finding)
  return (
    <li>
      <SeverityMark mark="clear" />
      <div>
        <RuleLink className="mono" rule={finding.rule} title={finding.title}>
          {finding.rule}
        </RuleLink>
        {finding.scope.kind === 'group' && <span className="muted small"> {finding.scope.label}</span>}
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
              aria-label={`The figures of ${finding.rule}, ${finding.scope.label}`}
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
    <Folder
      name={NOT_APPLICABLE}
      mark="not_applicable"
      quiet
      title={`${plural(findings.length, 'rule')} ${findings.length === 1 ? 'does' : 'do'} not apply to this job`}
      how="not judged"
    >
      <table className={table.table}>
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
                <RuleLink className="mono" rule={finding.rule} title={finding.title}>
                  {finding.rule}
                </RuleLink>
                {finding.scope.kind === 'group' && (
                  <span className="muted small"> {finding.scope.label}</span>
                )}
              </th>
              <td className="soft">{unmet(finding)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Folder>
  )
}

/** The requirements that are not met, each with what there is instead. */
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
