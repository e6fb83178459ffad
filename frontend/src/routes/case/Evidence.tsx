import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, useCallback } from 'react'
import type { CaseDocument } from '../../analysis/caseDocument'
import { NOTHING_USED, sawNothing } from '../../analysis/headline'
import { searchWith } from '../../analysis/search'
import type { SourceReport } from '../../api/types'
import { CounterTable } from '../../evidence/CounterTable'
import css from '../../evidence/Evidence.module.css'
import { contentsQuery } from '../../evidence/queries'
import { SourceText } from '../../evidence/SourceText'
import type { EvidenceSearch } from '../../evidence/search'
import { useCase } from '../../findings/CaseContext'
import { format } from '../../format'
import { textEvidence } from '../../sources/textEvidence'
import button from '../../ui/Button.module.css'
import { LatePart } from '../../ui/LatePart'
import { Notice, Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { useStillOnPage } from '../../ui/useStillOnPage'

/** Of benchmarks alone, and below all else. */
const MeasuredSite = lazy(() =>
  import('../../evidence/MeasuredSite').then((module) => ({ default: module.MeasuredSite })),
)

/** Of Darshan's logs alone, and below all that is read of one. */
const SecondOpinion = lazy(() =>
  import('../../evidence/SecondOpinion').then((module) => ({ default: module.SecondOpinion })),
)
/** Opened by a click. */
const FigureList = lazy(() =>
  import('../../evidence/FigureList').then((module) => ({ default: module.FigureList })),
)

/** The reader whose sources pydarshan reads too. */
const DARSHAN_LOG = 'darshan_log'

const route = getRouteApi('/cases/$caseId/evidence')

const measures = (document: CaseDocument) =>
  textEvidence(document, 'benchmark_run').length > 0 || textEvidence(document, 'benchmark_rates').length > 0

/** Of every source all there is: a text with the lines that were read, a log with every counter. */
export function Evidence() {
  const { document } = useCase()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/cases/$caseId/evidence' })
  const stillHere = useStillOnPage()
  const chosen = Math.min(search.source ?? 0, document.sources.length - 1)
  const source = document.sources[chosen]
  const figures = search.shown === 'figures'
  const change = useCallback(
    (set: EvidenceSearch, drop: readonly (keyof EvidenceSearch)[] = []) =>
      stillHere() &&
      navigate({
        search: (old) => searchWith(old, set, drop),
        replace: true,
        resetScroll: false,
      }),
    [navigate, stillHere],
  )
  return (
    <div className={css.view}>
      <div className={css.head}>
        <h2>Evidence</h2>
        <fieldset className={css.either}>
          <legend className="vh">Shown</legend>
          <button
            type="button"
            className={button.button}
            aria-pressed={!figures}
            onClick={() => change({}, ['shown'])}
          >
            Sources
          </button>
          <button
            type="button"
            className={button.button}
            aria-pressed={figures}
            onClick={() => change({ shown: 'figures' })}
          >
            All figures
          </button>
        </fieldset>
      </div>
      {figures ? (
        <LatePart what="The list of figures">
          <FigureList search={search} onChange={change} />
        </LatePart>
      ) : (
        <>
          <nav aria-label="Sources">
            <ul className={css.sources} ref={showCurrent}>
              {document.sources.map((one, index) => (
                <li key={`${one.given} ${one.member} ${one.sha256}`}>
                  <button
                    type="button"
                    aria-current={index === chosen ? 'true' : undefined}
                    onClick={() =>
                      change({ source: index }, ['line', 'to', 'module', 'counter', 'of', 'record'])
                    }
                  >
                    <span className={css.source}>{one.name}</span>
                    <span className={css.of}>
                      {heldBy(one)}, {format(one.size_bytes, 'B')}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </nav>
          {source && <Contents key={chosen} source={source} search={search} onChange={change} />}
          {measures(document) && (
            <LatePart what="The profile of a site">
              <MeasuredSite />
            </LatePart>
          )}
        </>
      )}
    </div>
  )
}

/** "Darshan 3.21 log: POSIX 1,024, STDIO 2": with the version, as the terminal has it. */
const heldBy = ({ holds, title }: SourceReport) =>
  holds.length > 0 ? holds.join('; ') : (title ?? 'not read')

/** Of dozens the chosen one is in sight when the page opens. */
function showCurrent(list: HTMLUListElement | null): void {
  const current = list?.querySelector('[aria-current]')
  if (!list || !current) return
  const [inside, outside] = [current.getBoundingClientRect(), list.getBoundingClientRect()]
  if (inside.bottom > outside.bottom) list.scrollTop += inside.top - outside.top
}

function Contents({
  source,
  search,
  onChange,
}: {
  source: SourceReport
  search: EvidenceSearch
  onChange: (set: EvidenceSearch, drop?: readonly (keyof EvidenceSearch)[]) => void
}) {
  const { caseId, document } = useCase()
  const query = useQuery(contentsQuery(caseId, source))
  const { line = null, to = null } = search
  if (source.failure !== null && query.error) {
    return (
      <Notice failed title="It could not be read">
        {source.failure} {source.next_step}
      </Notice>
    )
  }
  if (query.error) return <QueryProblem query={query} what="The source" />
  if (!query.data) return <Skeleton height={900} />
  const { lines, modules } = query.data
  const asText = lines !== null && (modules.length === 0 || line !== null)
  return (
    <>
      {lines !== null && modules.length > 0 && (
        <fieldset className={css.either}>
          <legend className="vh">Shown as</legend>
          <button
            type="button"
            className={button.button}
            aria-pressed={!asText}
            onClick={() => onChange({}, ['line', 'to'])}
          >
            Counters
          </button>
          <button
            type="button"
            className={button.button}
            aria-pressed={asText}
            onClick={() => onChange({ line: 1 })}
          >
            Text
          </button>
        </fieldset>
      )}
      {asText ? (
        <SourceText
          source={source}
          name={source.name}
          readAs={source.title}
          lines={lines}
          line={line}
          to={to}
          onLine={(first, last) =>
            last > first ? onChange({ line: first, to: last }) : onChange({ line: first }, ['to'])
          }
        />
      ) : modules.length > 0 ? (
        <CounterTable source={source} modules={modules} search={search} onChange={onChange} />
      ) : (
        <p className="muted">
          {sawNothing(document)
            ? `This log holds no counters. ${NOTHING_USED}`
            : 'This log holds no counters; what it traces is drawn in the charts of the diagnosis.'}
        </p>
      )}
      {source.kind === DARSHAN_LOG && (
        <LatePart what="The second opinion">
          <SecondOpinion source={source} />
        </LatePart>
      )}
    </>
  )
}
