import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { decidedBy } from '../analysis/search'
import { ApiError } from '../api/client'
import { caseQuery, compareQuery } from '../api/queries'
import type { Comparison } from '../api/types'
import { CasePicker } from '../comparison/CasePicker'
import { DecidedByOwn } from '../comparison/DecidedByOwn'
import { CauseTable, FindingTable } from '../comparison/FindingTable'
import { MetricPairs, pairsOf } from '../comparison/MetricPairs'
import { RateByProcesses } from '../comparison/RateByProcesses'
import { RateByStripes } from '../comparison/RateByStripes'
import { RepeatStrip } from '../comparison/RepeatStrip'
import { RunSetFindings } from '../comparison/RunSetFindings'
import { RunTable } from '../comparison/RunTable'
import { SettingTable } from '../comparison/SettingTable'
import { type CompareSearch, idsOf, toggled } from '../comparison/search'
import { asSentence, format, unbroken } from '../format'
import button from '../ui/Button.module.css'
import { Cite } from '../ui/cite/Cite'
import { Notice, Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import section from '../ui/Section.module.css'
import shell from '../ui/Shell.module.css'
import css from './Compare.module.css'

const route = getRouteApi('/compare')

/** Several runs held against one another. Which, and in what order, is in the address. */
export function Compare() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const ids = idsOf(search)
  const enough = ids.length > 1 || (ids.length === 1 && search.within === true)
  const by = decidedBy(search)
  const query = useQuery({ ...compareQuery(ids.join(','), by), enabled: enough })
  const choosing = search.choose === true || !enough
  const toggle = useCallback(
    (id: string) =>
      navigate({ search: (old) => toggled({ ...old, choose: true }, id), replace: true, resetScroll: false }),
    [navigate],
  )
  return (
    <div className={shell.wrap}>
      {!enough ? (
        <>
          <title>Compare runs · IOtriage</title>
          <h1>What was changed, and did it help?</h1>
          <p className={shell.lead}>
            {ids[0] === undefined ? (
              'Choose two runs or more: before and after a change, on more and more ranks, with different stripe counts, or repeats of one.'
            ) : (
              <>
                One run is chosen
                <NameOf id={ids[0]} />. Choose another to compare it with
                <Within id={ids[0]} search={{ ...by, cases: ids.join(','), within: true }} />.
              </>
            )}
          </p>
        </>
      ) : query.data ? (
        <Compared comparison={query.data} ids={ids} search={search} />
      ) : query.error ? (
        <Problem error={query.error} search={search} retry={() => query.refetch()} />
      ) : (
        <Waiting />
      )}
      {enough && !query.isPending && (
        <p className={css.again}>
          <Link
            className={button.button}
            to="/compare"
            search={{ ...by, cases: ids.join(','), ...(!choosing && { choose: true }) }}
            replace
            resetScroll={false}
          >
            {choosing ? 'Close the list' : 'Choose other runs'}
          </Link>
        </p>
      )}
      {choosing && <CasePicker chosen={ids} onToggle={toggle} />}
    </div>
  )
}

/** ", plume (job 7204411)": the list may be too long to have it. */
function NameOf({ id }: { id: string }) {
  const { data } = useQuery(caseQuery(id, null))
  if (!data) return null
  const job = data.document?.job.job_id
  return `: “${data.title}”${job ? ` (job ${job})` : ''}`
}

/** ", or compare the runs within it": of a benchmark's output, which may have runs of its own. */
function Within({ id, search }: { id: string; search: CompareSearch }) {
  const { data } = useQuery(caseQuery(id, null))
  const measured = data?.document?.texts.some(({ part: { kind } }) => kind.startsWith('benchmark_'))
  if (!measured) return null
  return (
    <>
      , or{' '}
      <Link className={css.within} to="/compare" search={search}>
        compare the runs within it
      </Link>
    </>
  )
}

function Waiting() {
  return (
    <div role="status" aria-label="The runs are being compared">
      <title>Compare runs · IOtriage</title>
      <Skeleton width="70%" height={36} />
      <p />
      <Skeleton height={320} />
    </div>
  )
}

function Problem({ error, search, retry }: { error: Error; search: CompareSearch; retry: () => void }) {
  const known = error instanceof ApiError && (error.status === 404 || error.status === 409)
  const { site: _, set: __, ...undecided } = search
  // Only a site or a threshold of the address can be refused like this: whoever wrote it may have meant another.
  const chosen = error instanceof ApiError && error.status === 422
  return (
    <>
      <title>Compare runs · IOtriage</title>
      <h1>What was changed, and did it help?</h1>
      {chosen ? (
        <Notice
          failed
          title={error.title}
          actions={
            <Link to="/compare" search={undecided} replace activeProps={{}}>
              Compare by the runs' own sites and the documents' values
            </Link>
          }
        >
          {error.detail}
        </Notice>
      ) : known ? (
        <Notice failed title={error.title}>
          {error.detail} Choose other runs below.
        </Notice>
      ) : (
        <QueryProblem query={{ error, refetch: retry }} what="The comparison" />
      )}
    </>
  )
}

const OUTCOMES = {
  better: '▲ better',
  worse: '▼ worse',
  same: '● no difference',
  mixed: '◆ better in one way, worse in another',
  unknown: '? cannot be told',
} as const

function Compared({
  comparison,
  ids,
  search,
}: {
  comparison: Comparison
  ids: readonly string[]
  search: CompareSearch
}) {
  const [only] = comparison.steps
  const step = comparison.best ?? (comparison.steps.length === 1 ? (only ?? null) : null)
  const ofBenchmark = comparison.runs.every((run) => run.rate_of.startsWith('benchmark.'))
  const several = comparison.kind === 'change' && comparison.best === null && comparison.steps.length > 1
  const [verdict = '', ...rest] = comparison.sentences.map(unbroken)
  return (
    <>
      <title>{`${verdict} · IOtriage`}</title>
      {comparison.kind === 'change' && <p className={css.outcome}>{OUTCOMES[comparison.outcome]}</p>}
      <h1>{verdict}</h1>
      {(rest.length > 0 || (comparison.note && !several)) && (
        <div className={css.then}>
          <Others sentences={rest} />
          {comparison.note && !several && <p className={css.part}>{unbroken(comparison.note)}</p>}
        </div>
      )}
      {several && <Each steps={comparison.steps} />}
      {several && comparison.note && <p className={css.ofSeveral}>{unbroken(comparison.note)}</p>}
      <DecidedByOwn comparison={comparison} search={search} />
      <div className={css.runs}>
        <RunTable comparison={comparison} ids={ids} by={decidedBy(search)} />
      </div>
      <RunSetFindings comparison={comparison} />
      <Charts comparison={comparison} step={step} />
      <section aria-labelledby="changed">
        <div className={section.row}>
          <h2 id="changed">What was changed</h2>
          <p>as the sources state it; nothing here is claimed to be the cause</p>
        </div>
        <SettingTable comparison={comparison} />
      </section>
      {(comparison.findings.length > 0 || !ofBenchmark) && (
        <section aria-labelledby="found">
          <div className={section.row}>
            <h2 id="found">What was found</h2>
          </div>
          <FindingTable comparison={comparison} step={step} />
        </section>
      )}
      {step && step.causes.length > 0 && (
        <section aria-labelledby="proved">
          <div className={section.row}>
            <h2 id="proved">Is it what took the time?</h2>
            <p>
              confirmed where a finding is gone and the I/O is faster by more than equal runs usually differ
            </p>
          </div>
          <CauseTable step={step} />
        </section>
      )}
      <Usual usual={comparison.usual} />
    </>
  )
}

/** What became of each of several runs: none of them runs on into the next. */
const Each = ({ steps }: { steps: Comparison['steps'] }) => (
  <ul className={css.each} aria-label="Each run against the first">
    {steps.map((step) => {
      const [verdict = '', ...rest] = step.sentences.map(unbroken)
      return (
        <li key={step.run}>
          <b>{verdict}</b>
          <Others sentences={rest} />
          {step.note && <p>{unbroken(step.note)}</p>}
        </li>
      )
    })}
  </ul>
)

const Others = ({ sentences }: { sentences: readonly string[] }) =>
  sentences.map((sentence) => (
    <p key={sentence} className={css.part}>
      {sentence}
    </p>
  ))

function Charts({ comparison, step }: { comparison: Comparison; step: Comparison['steps'][number] | null }) {
  const paired = step !== null && pairsOf(comparison, step.against, step.run).length > 0
  if (comparison.kind === 'change' && !paired) return null
  return (
    <section aria-labelledby="figures" className={css.charts}>
      <div className={section.row}>
        <h2 id="figures">The figures</h2>
      </div>
      {comparison.kind === 'scaling' && <RateByProcesses runs={comparison.runs} />}
      {comparison.kind === 'striping' && <RateByStripes runs={comparison.runs} />}
      {comparison.kind === 'repeats' && <RepeatStrip runs={comparison.runs} usual={comparison.usual} />}
      {step && <MetricPairs comparison={comparison} against={step.against} run={step.run} />}
    </section>
  )
}

function Usual({ usual }: { usual: Comparison['usual'] }) {
  return (
    <p className={css.usual}>
      Two runs are not called different while one is less than {format(usual.factor, '1')} times the other
      {usual.moved_from !== null && `, your own number instead of ${format(usual.moved_from, '1')}`}.{' '}
      {asSentence(usual.site_says ?? usual.stated_by.says)}{' '}
      <Cite document={usual.stated_by.document} section={usual.stated_by.section} />
    </p>
  )
}
