import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAlone } from '../access/queries'
import type { CaseDocument } from '../analysis/caseDocument'
import { toDo } from '../analysis/headline'
import { isACause } from '../analysis/order'
import { type CaseSearch, decidedBy } from '../analysis/search'
import { boundOfIoTime, boundsOfRate } from '../analysis/slowest'
import { movedCount } from '../analysis/thresholds'
import type { Verdict as Answer, CaseView } from '../api/types'
import { baseName, between, clockWords, count, format, inPercent, plural, unbroken } from '../format'
import { PortraitRoom } from '../portrait/PortraitRoom'
import { printedRates } from '../sources/benchmarks/printedRates'
import { BothEnds } from '../ui/BothEnds'
import { Command } from '../ui/Command'
import { Cite } from '../ui/cite/Cite'
import { Dotted } from '../ui/Dotted'
import facts from '../ui/Facts.module.css'
import { Sentence } from '../ui/lines/Sentence'
import { Missing } from '../ui/Missing'
import { Num } from '../ui/Num'
import { SeverityMark, SeverityWord } from '../ui/Severity'
import { Explained } from '../ui/Term'
import { useCase } from './CaseContext'
import { CaseCrumb } from './CaseCrumb'
import { EvidenceList } from './EvidenceList'
import css from './Verdict.module.css'

/** Letters from which on what to do is set smaller: the line to paste stands below it, in view. */
const LONG = 180

/** The headline, what to do and the line to paste; beside it the facts of the job, below it the evidence. */
export function Verdict({ view, onAdd }: { view: CaseView; onAdd: () => void }) {
  const { document, cited, settings } = useCase()
  const alone = useAlone()
  const { headline, findings } = document
  const moved = movedCount(settings)
  const first = headline.rule
    ? findings.find((f) => f.rule === headline.rule && f.verdict === 'triggered')
    : undefined
  const program = document.job.executable && baseName(document.job.executable)
  const then = toDo(headline) ?? checked(document)
  const source = first?.advice[0]?.citation ?? first?.citations[0]
  const least = first?.could_save_at_least_s ?? null
  const most = first?.could_save_s ?? null
  // The sentence has the seconds of every group of files that the cause is found in; a saving is of one.
  const several = findings.filter((f) => f.rule === first?.rule && isACause(f) && f.takes_s).length > 1
  return (
    <section className={css.verdict} aria-labelledby="says">
      <div>
        <CaseCrumb view={view} className={`${css.crumb} screen`}>
          {program && program !== view.title && (
            <span className="mono" title={program}>
              <BothEnds name={program} />
            </span>
          )}
          {view.sample && <span>(a sample)</span>}
          {!alone && (
            <Link to="/compare" search={(old: CaseSearch) => ({ cases: view.id, ...decidedBy(old) })}>
              compare with…
            </Link>
          )}
        </CaseCrumb>
        <h1 id="says">
          {unbroken(headline.sentence)}
          {headline.figure && (
            <>
              {' '}
              <span className={css.figure}>{unbroken(headline.figure)}</span>
            </>
          )}
        </h1>
        <p className={`${css.then} ${then.length > LONG ? css.long : ''}`}>
          <Sentence>{then}</Sentence>
        </p>
        {headline.command && (
          <Command text={headline.command} prompt={first?.advice.find((a) => a.command)?.kind === 'shell'} />
        )}
        <p className={css.grade}>
          <SeverityMark mark={headline.severity} />{' '}
          <Dotted>
            <SeverityWord mark={headline.severity} />
            {first?.confidence}
            {moved > 0 && <b>judged with {plural(moved, 'threshold')} moved</b>}
            {least !== null && most !== null && (
              <span>
                a fix could save {unbroken(between(least, most))}
                {document.job.runtime_s !== null &&
                  ` of the ${unbroken(format(document.job.runtime_s, 's'))}`}
                {several && ' in the first of them'}
              </span>
            )}
          </Dotted>{' '}
          {source && first && (
            <Cite
              document={source.document}
              section={source.section}
              rule={first.rule}
              of={cited.get(source.document)}
            />
          )}
        </p>
      </div>
      <Facts document={document} caseId={view.id} />
      <EvidenceList view={view} onAdd={onAdd} />
      <Differing document={document} />
    </section>
  )
}

/** One line where two sources contradict each other, with links to both figures. */
function Differing({ document }: { document: CaseDocument }) {
  const { caseId } = useCase()
  const apart = document.agreement.filter((a) => !a.agrees)
  if (apart.length === 0) return null
  const names = [...new Set(apart.map((a) => a.quantity))]
  return (
    <p className={css.differing}>
      <span aria-hidden="true">≠</span> The sources differ in {inWordsList(names.slice(0, 3))}
      {names.length > 3 && ` and ${names.length - 3} more`}:{' '}
      <Link
        to="/cases/$caseId"
        params={{ caseId }}
        search={withAgreement}
        hash="said-agreement"
        replace
        activeProps={{}}
      >
        both figures, and the known reason
      </Link>
    </p>
  )
}

/** Opens the table of figures in which sources are compared. */
function withAgreement({ said, ...old }: CaseSearch): CaseSearch {
  const open = (said ?? '').split(',').filter((name) => name !== '' && name !== 'none')
  return said === undefined || open.includes('agreement')
    ? { ...old, ...(said !== undefined && { said }) }
    : { ...old, said: [...open, 'agreement'].join(',') }
}

/** "ranks, run time and bytes written" */
const inWordsList = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** Where nothing is wrong, what was checked. */
function checked({ findings }: CaseDocument): string {
  const of = (verdict: Answer) => findings.filter((f) => f.verdict === verdict).length
  const parts = [
    `${plural(of('clear'), 'finding')} ${of('clear') === 1 ? 'is' : 'are'} clear`,
    of('unknown') > 0 && `${count(of('unknown'))} cannot be decided`,
    of('not_applicable') > 0 &&
      `${count(of('not_applicable'))} ${of('not_applicable') === 1 ? 'does' : 'do'} not apply`,
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}

function Facts({ document, caseId }: { document: CaseDocument; caseId: string }) {
  const { job, metrics } = document
  const program = job.executable && baseName(job.executable)
  const began = clockWords(job.start_time)
  const ioTime = metrics['job.io_time']
  const bound = boundOfIoTime(document)
  const fraction = numberOf(document, 'job.io_time_fraction')
  const rate = metrics['io.bandwidth']
  const [rateIs, ofWhich] = boundsOfRate(document)
  const alone = document.charts.layers.length === 0
  const single = job.nprocs === 1
  return (
    <dl className={`${facts.facts} ${css.facts}`} aria-label="The job">
      <div>
        <dt>Job</dt>
        <dd title={program ?? undefined}>
          {job.job_id ?? (program && <BothEnds name={program} />)}
          {program && job.job_id !== null && (
            <small>
              {' '}
              <BothEnds name={program} />
            </small>
          )}
          {job.job_id === null && (
            <small>
              {' '}
              <Missing>no id in the evidence</Missing>
            </small>
          )}
        </dd>
      </div>
      <Fact name="Ranks" known={job.nprocs !== null || job.nnodes !== null || !alone}>
        {job.nprocs === null ? <Missing /> : count(job.nprocs)}
        {job.nnodes !== null && <small> on {plural(job.nnodes, 'node')}</small>}
      </Fact>
      <Fact name="Run time" known={job.runtime_s !== null || !alone}>
        {job.runtime_s === null ? <Missing /> : <Num value={job.runtime_s} unit="s" />}
      </Fact>
      <Fact name="Began" known={began !== null}>
        {began}
      </Fact>
      <Fact name={single ? 'In I/O' : 'In I/O, slowest rank'} known={ioTime?.value != null || !alone}>
        {fraction !== null && (
          <span className={css.share} aria-hidden="true">
            <span style={{ width: `${Math.min(100, inPercent(fraction))}%` }} />
          </span>
        )}
        {bound && <small>{bound} </small>}
        {typeof ioTime?.value === 'number' ? (
          <Num value={ioTime.value} unit="s" />
        ) : (
          <Missing reason={ioTime?.reason ?? null} />
        )}
        {fraction !== null && <small>, {format(fraction, 'share')}</small>}
      </Fact>
      <Amount metric={metrics['io.bytes_written']} name="Written" alone={alone} />
      <Amount metric={metrics['io.bytes_read']} name="Read" alone={alone} />
      <Fact name="Rate" known={rate?.value != null || !alone}>
        {typeof rate?.value === 'number' && rateIs && <small>{rateIs}</small>}
        {typeof rate?.value === 'number' ? (
          <Num value={rate.value} unit="B/s" />
        ) : (
          <Missing reason={rate?.reason ?? null} />
        )}
        {typeof rate?.value === 'number' && (
          <small>
            {!single && ' by the slowest rank'}
            {ofWhich}
          </small>
        )}
      </Fact>
      {printedRates(document).map(({ operation, tool, bytesPerSecond }) => (
        <Fact key={operation} name={operation === 'write' ? 'Highest write rate' : 'Highest read rate'}>
          <Num value={bytesPerSecond} unit="B/s" />
          <small> printed by {tool}</small>
        </Fact>
      ))}
      {document.charts.layers.some((layer) => layer.bytes_read || layer.bytes_written) && (
        <div>
          <dt>
            <Explained>Portrait</Explained>
          </dt>
          <dd>
            <PortraitRoom caseId={caseId} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** What is not known has no line where no log is of the whole run: what else would tell is said once, below. */
function Fact({ name, known = true, children }: { name: string; known?: boolean; children: ReactNode }) {
  if (!known) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Amount({
  metric,
  name,
  alone,
}: {
  metric: CaseDocument['metrics'][string] | undefined
  name: string
  alone: boolean
}) {
  return (
    <Fact name={name} known={metric?.value != null || !alone}>
      {metric?.bound === 'lower' && <small>at least </small>}
      {typeof metric?.value === 'number' ? (
        <Num value={metric.value} unit="B" />
      ) : (
        <Missing reason={metric?.reason ?? null} />
      )}
    </Fact>
  )
}

function numberOf(document: CaseDocument, id: string): number | null {
  const value = document.metrics[id]?.value
  return typeof value === 'number' ? value : null
}
