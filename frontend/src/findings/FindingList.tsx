import { Link } from '@tanstack/react-router'
import type { Finding } from '../analysis/caseDocument'
import { withOpen } from '../analysis/search'
import { type Links, useAbout } from '../charts/frame/linked'
import { groupName } from '../charts/frame/linkName'
import { format, plural } from '../format'
import { type Mark, markOf, SeverityMark } from '../ui/Severity'
import { useFindingAbout } from './about'
import { useCase } from './CaseContext'
import { alsoWords } from './FindingRow'
import { alsoOf, anchorOf, type Cause, CLEAR, keyOf, NOT_APPLICABLE, type Sorted, UNKNOWN } from './keys'
import css from './Rail.module.css'

const NOTHING: Links = []

/** The findings at a glance, explained ones under their cause, the rest counted: only `triggered` ones are findings to a reader. */
export function FindingList({
  sorted,
  current,
  triggered,
}: {
  sorted: Sorted
  current: string | null
  triggered: number
}) {
  return (
    <nav aria-label="Findings">
      <h2>
        Findings <span>{triggered === 0 ? 'none' : plural(triggered, 'finding')}</span>
      </h2>
      <ul className={css.list}>
        {sorted.causes.map((cause) => (
          <CauseItem key={keyOf(cause.finding)} cause={cause} current={current} />
        ))}
        {sorted.errors.map((finding) => (
          <li key={keyOf(finding)}>
            <Item finding={finding} current={current} />
          </li>
        ))}
        <Counted
          name={UNKNOWN}
          mark="unknown"
          n={sorted.unknown.length}
          words="unknown"
          current={current}
          first
        />
        <Counted name={CLEAR} mark="clear" n={sorted.clear.length} words="clear" current={current} />
        <Counted
          name={NOT_APPLICABLE}
          mark="not_applicable"
          n={sorted.notApplicable.length}
          words={sorted.notApplicable.length === 1 ? 'does not apply' : 'do not apply'}
          current={current}
        />
      </ul>
    </nav>
  )
}

/** A cause, what it explains, and one line for the same finding about other groups of files. */
function CauseItem({
  cause: { finding, explains, also },
  current,
}: {
  cause: Cause
  current: string | null
}) {
  return (
    <li>
      <Item finding={finding} current={current} />
      {(explains.length > 0 || also.length > 0) && (
        <ul>
          {explains.map((child) => (
            <CauseItem key={keyOf(child.finding)} cause={child} current={current} />
          ))}
          {also.length > 0 && (
            <li>
              <RailLink
                name={alsoOf(finding)}
                current={current}
                title={`${finding.rule}: ${also.map((other) => groupName(other.finding.scope.label)).join('; ')}`}
              >
                <SeverityMark mark={markOf(also[0]?.finding ?? finding)} label />
                <span>
                  {alsoWords(also.length)}
                  <span className="vh">, {finding.rule}</span>
                </span>
                <small />
              </RailLink>
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

function Item({ finding, current }: { finding: Finding; current: string | null }) {
  const key = keyOf(finding)
  const about = useFindingAbout(finding)
  const { document } = useCase()
  const seconds = finding.takes_s
  const aside = finding.explained_by
    ? 'explained'
    : seconds === null || seconds === 0
      ? ''
      : `${document.account?.partial ? '≥ ' : ''}${format(seconds, 's')}`
  return (
    <RailLink name={key} current={current} about={about} title={finding.headline ?? finding.title}>
      <SeverityMark mark={markOf(finding)} label />
      <span className={css.name}>{finding.rule}</span>
      <small>{aside}</small>
    </RailLink>
  )
}

function Counted({
  name,
  mark,
  n,
  words,
  current,
  first = false,
}: {
  name: string
  mark: Mark
  n: number
  words: string
  current: string | null
  first?: boolean
}) {
  if (n === 0) return null
  return (
    <li className={first ? css.counted : ''}>
      <RailLink name={name} current={current}>
        <SeverityMark mark={mark} />
        <span>
          {n} {words}
        </span>
        <small />
      </RailLink>
    </li>
  )
}

function RailLink({
  name,
  current,
  about = NOTHING,
  title,
  children,
}: {
  name: string
  current: string | null
  /** What it is about, shown in the charts too while the pointer or the focus is on it. */
  about?: Links
  title?: string
  children: React.ReactNode
}) {
  const { caseId } = useCase()
  const { hit, handlers } = useAbout(about)
  return (
    <Link
      to="/cases/$caseId"
      params={{ caseId }}
      search={(old) => withOpen(old, name)}
      hash={anchorOf(name)}
      replace
      {...handlers}
      className={hit ? css.hit : undefined}
      aria-current={current === name ? 'true' : undefined}
      // The router's own idea of an active link does not know which finding is open.
      activeProps={{}}
      title={title}
    >
      {children}
    </Link>
  )
}
