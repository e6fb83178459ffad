import { useAlone } from '../access/queries'
import type { CaseDocument } from '../analysis/caseDocument'
import type { CaseView, SourceReport } from '../api/types'
import { asSentence, count, format, plural } from '../format'
import { isOfAnotherJob } from '../sources/ofAnotherJob'
import button from '../ui/Button.module.css'
import { Command } from '../ui/Command'
import { type Mark, SeverityMark } from '../ui/Severity'
import { useCase } from './CaseContext'
import css from './Verdict.module.css'

const MARKS: Record<SourceReport['status'], Mark> = {
  complete: 'clear',
  partial: 'medium',
  nothing: 'not_applicable',
  failed: 'error',
}
const SAYS: Record<SourceReport['status'], string> = {
  complete: 'read whole',
  partial: 'read in part',
  nothing: 'nothing that we read in it',
  failed: 'could not be read',
}

/** The evidence of the findings: each source with its state and its problems, and what evidence is missing. */
export function EvidenceList({ view, onAdd }: { view: CaseView; onAdd: () => void }) {
  const { document } = useCase()
  const alone = useAlone()
  const unfinished = view.sources.filter((s) => s.status === 'waiting' || s.status === 'reading')
  const troubled = document.sources.filter((s) => s.failure || s.warnings.length > 0)
  const notGiven = missingEvidence(document)
  return (
    <div className={css.evidence}>
      <ul className={css.sources} aria-label="Evidence">
        {alike(document.sources).map(([words, sources]) => (
          <li key={words}>
            <SeverityMark mark={MARKS[sources[0].status]} />
            <span title={sources.map(whichOf).join('\n')}>
              {words}
              {sources.length > 1 && <small className="muted"> × {count(sources.length)}</small>}
            </span>
          </li>
        ))}
        {unfinished
          .filter((s) => !document.sources.some((d) => d.sha256 === s.sha256))
          .map((source) => (
            <li key={source.sha256}>
              <SeverityMark mark="unknown" />
              <span>{source.name}, being read</span>
            </li>
          ))}
        {notGiven.map((name) => (
          <li key={name} className={css.off}>
            <SeverityMark mark="not_applicable" />
            <span>{name}: not given</span>
          </li>
        ))}
        {!alone && (
          <li className="screen">
            <button type="button" className={button.link} onClick={onAdd}>
              Add a source
            </button>
          </li>
        )}
      </ul>
      {troubled.length > 0 && (
        <div className={css.problems}>
          {troubled.length > MOST_NAMED ? (
            <details>
              <summary>{`Remarks on ${plural(troubled.length, 'source')}`}</summary>
              <AllTroubled sources={troubled} />
            </details>
          ) : (
            <AllTroubled sources={troubled} />
          )}
        </div>
      )}
    </div>
  )
}

const whichOf = ({ name, size_bytes, sha256 }: SourceReport) =>
  `${name}, ${format(size_bytes, 'B')}, SHA-256 ${sha256}`

/** Sources with the same remarks, put together. */
function alike(sources: readonly SourceReport[]): [string, [SourceReport, ...SourceReport[]]][] {
  const found = new Map<string, [SourceReport, ...SourceReport[]]>()
  for (const source of sources) {
    const state = isOfAnotherJob(source) ? 'of another job' : SAYS[source.status]
    const words = `${source.title ?? source.name}, ${state}`
    const others = found.get(words)
    if (others) others.push(source)
    else found.set(words, [source])
  }
  return [...found]
}

/** Beyond this many sources the rest is one line, so that what is wrong with the job stays visible below. */
const MOST_NAMED = 4
/** Number of sources with lost data that are unfolded at first. */
const MOST_OPEN = 2

const AllTroubled = ({ sources }: { sources: readonly SourceReport[] }) =>
  sources.map((source) => <Troubled key={source.sha256} source={source} few={sources.length <= MOST_OPEN} />)

function Troubled({ source, few }: { source: SourceReport; few: boolean }) {
  const losing = source.warnings.filter((w) => w.loses_data)
  const words = source.failure ? 'why it could not be read' : plural(source.warnings.length, 'remark')
  return (
    <details open={few && (source.failure !== null || losing.length > 0)}>
      <summary>
        {source.name}: {words}
      </summary>
      <ul>
        {source.failure && <li>{asSentence(source.failure)}</li>}
        {source.next_step && (
          <li>
            {source.next_step.includes('\n') ? <Command small text={source.next_step} /> : source.next_step}
          </li>
        )}
        <Remarks of={source.warnings} />
        {losing.length > 0 && (
          <li className="muted">
            Figures from {losing.length === 1 ? 'there' : 'these places'} are lower bounds or missing.
          </li>
        )}
      </ul>
    </details>
  )
}

/** Remarks shown for a source; the others can be unfolded. */
const MOST_REMARKS = 4

function Remarks({ of: remarks }: { of: SourceReport['warnings'] }) {
  const shown = remarks.length > MOST_REMARKS + 1 ? MOST_REMARKS : remarks.length
  return (
    <>
      {remarks.slice(0, shown).map(remarkRow)}
      {remarks.length > shown && (
        <li>
          <details>
            <summary>{plural(remarks.length - shown, 'more remark')}</summary>
            <ul>{remarks.slice(shown).map(remarkRow)}</ul>
          </details>
        </li>
      )}
    </>
  )
}

const remarkRow = ({ code, message, line, where }: SourceReport['warnings'][number]) => (
  <li key={`${code}${message}${line}`}>
    {(line !== null || (where && !message.startsWith(where))) && (
      <span className="mono">{line !== null ? `line ${line}` : where}: </span>
    )}
    {message}
  </li>
)

/** By the name of evidence that findings ask for, the readers that read it. */
const READ_BY: Readonly<Record<string, readonly string[]>> = {
  Darshan: ['darshan_log', 'darshan_parser_text'],
  MPICH_MPIIO_STATS: ['mpich_stats'],
  MPICH_MPIIO_TIMERS: ['mpich_timers'],
  MPICH_MPIIO_HINTS_DISPLAY: ['mpich_hints'],
  MPICH_ENV_DISPLAY: ['mpich_environment'],
  MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY: ['mpich_aggregator_placement'],
}

/** Evidence that unknown findings ask for. A source that was given but incomplete is not among it: it says so
 * itself. */
export function missingEvidence({ findings, sources }: Pick<CaseDocument, 'findings' | 'sources'>): string[] {
  const asked = findings
    .filter((f) => f.verdict === 'unknown')
    .flatMap((f) => f.settling.map((s) => s.evidence))
  const given = (name: string) =>
    sources.some(
      ({ kind, status }) =>
        (status === 'partial' || status === 'complete') && kind !== null && READ_BY[name]?.includes(kind),
    )
  return [...new Set(asked)].filter((name) => !given(name)).slice(0, 5)
}
