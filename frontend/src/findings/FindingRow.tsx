import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, useState } from 'react'
import { useAlone } from '../access/queries'
import { inWords } from '../analysis/advice'
import type { Finding } from '../analysis/caseDocument'
import { bindingLeaves, decidingLeaves, lastToHold } from '../analysis/condition'
import { RUNS_DIFFER } from '../analysis/fixedNumbers'
import { type CaseSearch, decidedBy } from '../analysis/search'
import type { Setting } from '../analysis/thresholds'
import { holdsRule } from '../api/embedded'
import type { Advice, Operator } from '../api/types'
import { LinkedName } from '../charts/frame/linked'
import { groupName, linkName } from '../charts/frame/linkName'
import { between, count, exactly, format, jobHours, plural, unbroken } from '../format'
import { ShowMe } from '../showme/ShowMe'
import { Command } from '../ui/Command'
import { Cite } from '../ui/cite/Cite'
import { DOT } from '../ui/Dotted'
import { LatePart } from '../ui/LatePart'
import { Sentence } from '../ui/lines/Sentence'
import { RuleLink } from '../ui/RuleLink'
import { markOf, SeverityWord } from '../ui/Severity'
import { Explained } from '../ui/Term'
import { useFindingAbout } from './about'
import { BulletTable } from './bullet/BulletTable'
import { useCase } from './CaseContext'
import { Disclosure } from './Disclosure'
import { FigurePlaces } from './FigurePlaces'
import css from './FindingRow.module.css'
import { alsoOf, type Cause, keyOf, partAnchor, sentenceOf } from './keys'
import { thresholdsOf } from './thresholds/thresholdsOf'
import { WhyItMatters } from './WhyItMatters'

const ThresholdFields = lazy(() =>
  import('./thresholds/ThresholdFields').then((module) => ({ default: module.ThresholdFields })),
)

/** A finding, what it explains below it, and the same on other file groups folded into one line. */
export function CauseRows({ cause: { finding, explains, also } }: { cause: Cause }) {
  return (
    <>
      <FindingRow finding={finding} />
      {(explains.length > 0 || also.length > 0) && (
        <div className={css.under}>
          {explains.map((child) => (
            <CauseRows key={keyOf(child.finding)} cause={child} />
          ))}
          {also.length > 0 && <Also first={finding} also={also} />}
        </div>
      )}
    </>
  )
}

function Also({ first, also }: { first: Finding; also: readonly Cause[] }) {
  const worst = also[0]?.finding ?? first
  const groups = also.map(({ finding }) => groupName(finding.scope.label))
  return (
    <Disclosure
      name={alsoOf(first)}
      mark={markOf(worst)}
      quiet
      title={
        <Named
          says={alsoWords(also.length)}
          rule={first.rule}
          files={groups.slice(0, 3).join('; ') + (groups.length > 3 ? ' …' : '')}
        />
      }
      how={<SeverityWord mark={markOf(worst)} />}
    >
      {also.map((cause) => (
        <CauseRows key={keyOf(cause.finding)} cause={cause} />
      ))}
    </Disclosure>
  )
}

/** The finding's sentence, its rule, and the files that it is about. */
const Named = ({ says, rule, files }: { says: ReactNode; rule: string; files: string | null }) => (
  <span className={css.named}>
    <span className={css.says}>{says}</span>{' '}
    <span className={css.of}>
      <span className={css.id}>{rule}</span>
      {files !== null && <span className={css.scope}>{files}</span>}
    </span>
  </span>
)

export const alsoWords = (n: number): string => `also on ${plural(n, 'other file group')}`

export function FindingRow({ finding }: { finding: Finding }) {
  const about = useFindingAbout(finding)
  const mark = markOf(finding)
  const explained = finding.explained_by !== null
  const saves = savingWords(finding)
  const { headline } = useCase().document
  return (
    <Disclosure
      name={keyOf(finding)}
      mark={mark}
      // A note is no cause, unless it is what the page says first.
      quiet={explained || (mark === 'info' && finding.rule !== headline.rule)}
      title={
        <Named
          says={sentenceOf(finding)}
          rule={finding.rule}
          files={finding.scope.kind === 'group' ? groupName(finding.scope.label) : null}
        />
      }
      about={about}
      how={
        explained ? (
          `explained by ${finding.explained_by}`
        ) : (
          <>
            <SeverityWord mark={mark} />
            {DOT}
            {finding.confidence}
          </>
        )
      }
      impact={
        !explained &&
        saves && (
          <>
            <small>could save</small> {saves}
          </>
        )
      }
    >
      <FindingBody finding={finding} />
    </Disclosure>
  )
}

/** Whether the largest saving exceeds the finding's seconds by more than equal runs differ; the same as
 * `iotriage.reports.sections.account_text`. */
const moreThanItTakes = ({ takes_s, could_save_s }: Finding) =>
  takes_s !== null && could_save_s !== null && RUNS_DIFFER * could_save_s > 1.005 * takes_s
    ? ' That is more than it takes: the cure spares seconds too that other findings were given, or that ranks wait.'
    : ''

/** "50.0 s to 6 min 10 s", where it has bounds. */
function savingWords({ could_save_at_least_s: least, could_save_s: most }: Finding): string | null {
  return least === null || most === null ? null : between(least, most)
}

export function FindingBody({ finding }: { finding: Finding }) {
  const { settings } = useCase()
  const fields = thresholdsOf(finding).flatMap((id) => settings.get(id) ?? [])
  return (
    <>
      {finding.summary && (
        <p className={css.lead}>
          <Explained>{finding.summary}</Explained>
        </p>
      )}
      {finding.error && (
        <p className={css.lead}>
          The rule failed on this job: {finding.error} The other findings do not depend on it; its author
          should see this log.
        </p>
      )}
      <ShowMe finding={finding} />
      <BulletTable finding={finding} settings={settings} />
      <Facts finding={finding} />
      <div className={css.trio}>
        {finding.verdict === 'triggered' && holdsRule(finding.rule) && <WhyItMatters rule={finding.rule} />}
        {finding.advice.length > 0 && (
          <div>
            <h4 id={partAnchor(keyOf(finding), 'cure')}>What to do</h4>
            <ol>
              {finding.advice.map((advice) => (
                <AdviceItem key={inWords(advice)} advice={advice} finding={finding} />
              ))}
            </ol>
          </div>
        )}
        <div>
          {/* What only says that the I/O is no matter has no change to be held against. */}
          {((finding.verdict === 'triggered' && !finding.leads) || finding.settling.length > 0) && (
            <>
              <h4>What would confirm it</h4>
              <Confirm finding={finding} />
            </>
          )}
          {holdsRule(finding.rule) && (
            <p className="screen">
              <RuleLink rule={finding.rule}>The rule, and when it is wrong</RuleLink>
            </p>
          )}
        </div>
      </div>
      {fields.length > 0 && <OwnFields fields={fields} />}
    </>
  )
}

/** The finding's thresholds, for small windows in which the panel with all thresholds is far below. */
function OwnFields({ fields }: { fields: readonly Setting[] }) {
  const [open, setOpen] = useState(false)
  return (
    <details className={css.phoneThresholds} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Move the {plural(fields.length, 'threshold')} it rests on</summary>
      {open && (
        <LatePart what="The thresholds">
          <ThresholdFields settings={fields} />
        </LatePart>
      )}
    </details>
  )
}

function AdviceItem({ advice, finding }: { advice: Advice; finding: Finding }) {
  const { cited } = useCase()
  return (
    <li>
      <Sentence>{inWords(advice)}</Sentence>{' '}
      {advice.citation && (
        <Cite
          document={advice.citation.document}
          section={advice.citation.section}
          rule={finding.rule}
          of={cited.get(advice.citation.document)}
        />
      )}
      {advice.command && (
        <div>
          <Command small text={advice.command} prompt={advice.kind === 'shell'} />
        </div>
      )}
      {advice.fortran && (
        <details className={css.fortran}>
          <summary>The same in Fortran</summary>
          <Command small text={advice.fortran} />
        </details>
      )}
    </li>
  )
}

/** Where the finding can be seen, its evidence, and the time it takes. */
function Facts({ finding }: { finding: Finding }) {
  const { document, cited } = useCase()
  const about = useFindingAbout(finding)
  const { nprocs, nnodes } = document.job
  const saves = savingWords(finding)
  const lost = finding.could_save_s ?? finding.takes_s
  const hours = lost === null ? null : jobHours(lost, nprocs, nnodes)
  return (
    <dl className={css.where}>
      {about.length > 0 && (
        <>
          <dt className="screen">in the charts</dt>
          <dd className={`${css.about} screen`}>
            {about.map((link) => (
              <LinkedName key={`${link.kind}${link.id}`} link={link}>
                {linkName(link, document)}
              </LinkedName>
            ))}
          </dd>
        </>
      )}
      {finding.where.length > 0 && (
        <>
          <dt>where from</dt>
          <dd>
            <FigurePlaces places={finding.where} />
          </dd>
        </>
      )}
      {finding.takes_s !== null && finding.takes_s > 0 && (
        <>
          <dt id={partAnchor(keyOf(finding), 'cost')}>takes</dt>
          <dd>
            {document.account?.partial && 'at least '}
            {unbroken(format(finding.takes_s, 's'))} of the I/O time
            {hours && saves === null && `: ${hours} a run`}
          </dd>
        </>
      )}
      {finding.impact && saves !== null && (
        <>
          <dt>could save</dt>
          <dd>
            {unbroken(`Could save ${saves} ${finding.impact.because}.${moreThanItTakes(finding)}`)}
            {hours && saves !== null && ` That is up to ${hours} a run.`}
          </dd>
        </>
      )}
      {finding.explained_by && (
        <>
          <dt>explained by</dt>
          <dd>
            <span className="mono">{finding.explained_by}</span>: fixing that should fix this too; it is
            listed so that nothing is hidden.
          </dd>
        </>
      )}
      {finding.citations.length > 0 && (
        <>
          <dt>says who</dt>
          <dd className={css.cites}>
            {finding.citations.map((cite) => (
              <Cite
                key={`${cite.document}${cite.section}`}
                document={cite.document}
                section={cite.section}
                rule={finding.rule}
                of={cited.get(cite.document)}
                dated
              />
            ))}
          </dd>
        </>
      )}
    </dl>
  )
}

/** What else to look at: missing evidence, or the figure to watch in a run after the change. */
function Confirm({ finding }: { finding: Finding }) {
  const { caseId, document } = useCase()
  const alone = useAlone()
  const first = finding.settling[0]
  if (first) {
    return (
      <>
        <p>{first.text}</p>
        {first.lines.length > 0 && <Command small text={first.lines.join('\n')} />}
      </>
    )
  }
  const proved = document.next_run?.experiments.some(({ rule }) => rule === finding.rule) ?? false
  return (
    <>
      <p>
        {unbroken(after(finding))}
        {finding.files !== null && finding.files > 1 ? ` for the ${count(finding.files)} files` : ''}.
      </p>
      {proved && (
        <p className="screen">
          <Link
            to="/cases/$caseId"
            params={{ caseId }}
            search={(old) => old}
            hash="next-run"
            replace
            activeProps={{}}
          >
            Lines for a run with and a run without the change
          </Link>
        </p>
      )}
      {!alone && (
        <p className="screen">
          <Link to="/compare" search={(old: CaseSearch) => ({ cases: caseId, ...decidedBy(old) })}>
            Compare with a run after the change
          </Link>
        </p>
      )}
    </>
  )
}

/** By the operator of a comparison, on which side a figure is once the comparison no longer holds. */
const BEYOND: Readonly<Record<Operator, string>> = {
  '<': 'at least',
  '<=': 'over',
  '>': 'at most',
  '>=': 'under',
  '==': 'other than',
  '!=': 'exactly',
}

/** The value that the deciding figure must reach for the cause to be gone. */
function after(finding: Finding): string {
  const told = bindingLeaves(decidingLeaves(finding.condition)).find((one) => one.kind === 'compare')
  const leaf = told && (lastToHold(finding.condition, told) ?? told)
  if (!leaf || leaf.value === null) return 'After the change, the same evidence no longer shows it'
  const limit = exactly(leaf.threshold, leaf.unit)
  // Of counts, which have no values below 0.
  const none = leaf.threshold === 0 && leaf.operator === '>'
  return `After the change, “${leaf.title}” is ${none ? '' : `${BEYOND[leaf.operator]} `}${limit}; in this run: ${format(leaf.value, leaf.unit)}`
}
