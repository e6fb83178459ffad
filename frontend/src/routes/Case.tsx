import { useQuery } from '@tanstack/react-query'
import {
  CatchBoundary,
  getRouteApi,
  Link,
  Outlet,
  useLocation,
  useMatchRoute,
  useNavigate,
} from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { decide, evaluate } from '../analysis/evaluate'
import { saidOf } from '../analysis/headline'
import { hasSeveralJobs } from '../analysis/severalJobs'
import { settingsOf, valuesOf } from '../analysis/thresholds'
import { ApiError } from '../api/client'
import { EXPORTED_CASE } from '../api/embedded'
import { caseQuery, isReading } from '../api/queries'
import type { CaseView, StoredDocument, Where } from '../api/types'
import { type CaseContext, CaseProvider } from '../findings/CaseContext'
import { foldAround, keyOf, sortFindings, UNKNOWN } from '../findings/keys'
import { Verdict } from '../findings/Verdict'
import { LatePart } from '../ui/LatePart'
import { Skeleton } from '../ui/Notice'
import { Panel } from '../ui/Panel'
import { QueryProblem } from '../ui/QueryProblem'
import shell from '../ui/Shell.module.css'
import { useStillOnPage } from '../ui/useStillOnPage'
import { isJustUploaded } from '../upload/justUploaded'
import css from './Case.module.css'
import { Brief } from './case/Brief'
import { type CaseState, CaseStateProvider } from './case/CaseState'
import { Tabs, viewAt } from './case/Tabs'
import { PageError } from './NotFound'
import { SameJob, useSameJob } from './SameJob'
import { useChosenSite } from './useChosenSite'
import { useOpenFindings } from './useOpenFindings'
import { useOwnThresholds } from './useOwnThresholds'

const route = getRouteApi('/cases/$caseId')
/** Opened by a click on where a number stands. */
const EvidencePanel = lazy(() =>
  import('../findings/EvidencePanel').then((module) => ({ default: module.EvidencePanel })),
)
/** While a case has no document yet, or none could be made. */
const SourceStates = lazy(() => import('./SourceStates').then((module) => ({ default: module.SourceStates })))
const AddSource = lazy(() => import('./case/AddSource'))
/** Where the address asks for it. */
const SeveralJobs = lazy(() => import('./SeveralJobs').then((module) => ({ default: module.SeveralJobs })))
const Player = lazy(() => import('../showme/Player').then((module) => ({ default: module.Player })))

/** Whether a case was drawn since this page was loaded. */
let drewOne = false

/** False while the first case that a page draws shows what is in view alone: its sentence can be read before the rest, which is
 * most of the work, is drawn. Later ones are drawn at once, so that who goes back is where they were. */
function useRest(): boolean {
  const [first] = useState(!drewOne)
  useEffect(() => {
    drewOne = true
  }, [])
  return useDeferredValue(true, !first)
}

export function Case() {
  const { caseId } = route.useParams()
  const query = useQuery(caseQuery(caseId, null))
  const [adding, setAdding] = useState(false)
  const view = query.data
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const id = view?.id
  // What stands above the tabs is waited for, once.
  const { waits } = useSameJob(view)
  const drawn = useRef<string | null>(null)
  useEffect(() => {
    // What was joined into another case is that one: an old address leads on to it.
    if (id !== undefined && id !== caseId && EXPORTED_CASE === null && stillHere()) {
      void navigate({ to: '/cases/$caseId', params: { caseId: id }, replace: true })
    }
  }, [id, caseId, navigate, stillHere])
  if (query.isPending) return <CaseSkeleton />
  if (query.error && !view) return <CaseProblem error={query.error} retry={() => query.refetch()} />
  if (!view || (waits && drawn.current !== caseId)) return <CaseSkeleton />
  drawn.current = caseId
  return (
    <>
      {view.document ? (
        <Ready key={caseId} view={view} document={view.document} onAdd={() => setAdding(true)} />
      ) : (
        <LatePart what="What is being read" waiting={<CaseSkeleton />}>
          <SourceStates view={view} onAdd={() => setAdding(true)} />
        </LatePart>
      )}
      {adding && (
        <LatePart what="The place for a source">
          <AddSource view={view} onClose={() => setAdding(false)} />
        </LatePart>
      )}
    </>
  )
}

function Ready({
  view,
  document: stored,
  onAdd,
}: {
  view: CaseView
  document: StoredDocument
  onAdd: () => void
}) {
  const [shown, setShown] = useState<Where | null>(null)
  const { own, move, use } = useOwnThresholds()
  const { served, overrides, site } = useChosenSite(view, stored)
  const base = useMemo(() => decide(served), [served])
  const settings = useMemo(() => settingsOf(base, own, overrides), [base, own, overrides])
  const document = useMemo(() => evaluate(base, valuesOf(settings)), [base, settings])
  const sorted = useMemo(() => sortFindings(document.findings), [document])
  const firstCause = sorted.causes[0]?.finding
  const around = useCallback((name: string) => foldAround(sorted.causes, name), [sorted])
  const opened = useOpenFindings(firstCause ? [keyOf(firstCause), UNKNOWN] : [UNKNOWN], around)

  const context: CaseContext = useMemo(
    () => ({
      caseId: view.id,
      document,
      settings: new Map(settings.map((s) => [s.threshold.id, s])),
      cited: new Map(document.documents.map((d) => [d.key, d])),
      isOpen: opened.isOpen,
      toggle: opened.toggle,
      show: setShown,
      moveThreshold: move,
    }),
    [view.id, document, settings, opened.isOpen, opened.toggle, move],
  )

  const several = hasSeveralJobs(document)
  // What was just given is split at once: its sums are of no job, and would be taken away again.
  const [splits, setSplits] = useState(
    () => several && !view.sample && EXPORTED_CASE === null && isJustUploaded(view.id),
  )

  // Whose thresholds stand beside: they stay while a number is typed that clears their finding.
  const [begun] = useState(firstCause ? keyOf(firstCause) : null)
  const focused = document.findings.find((f) => keyOf(f) === (opened.last ?? begun)) ?? firstCause ?? null
  const state: CaseState = {
    view,
    sorted,
    current: opened.last ?? (firstCause ? keyOf(firstCause) : null),
    focused,
    site,
    chooseThresholds: use,
  }
  const played = route.useSearch({ select: (search) => search.play !== undefined })
  const shownView = useLocation({ select: ({ pathname }) => viewAt(pathname) })
  const rest = useRest()
  const whole = useMatchRoute()({ to: '/cases/$caseId' }) !== false

  const parts = (
    <>
      {whole ? <Verdict view={view} onAdd={onAdd} /> : <Brief view={view} />}
      <SameJob view={view} />
      <Tabs />
      {rest ? <Outlet /> : <Skeleton height={1600} />}
    </>
  )

  return (
    <CaseProvider value={context}>
      <CaseStateProvider value={state}>
        <title>{`${[view.title, shownView].filter(Boolean).join(', ')}: ${saidOf(document.headline)} · IOtriage`}</title>
        {isReading(view) && (
          <p className={css.again} role="status">
            New sources are being read; what is shown is from before.
          </p>
        )}
        {several ? (
          // Together with what it stands above, which would else be moved down by it.
          <Suspense fallback={<CaseSkeleton />}>
            <SeveralJobs view={view} document={document} onFailed={() => setSplits(false)} />
            {!splits && parts}
          </Suspense>
        ) : (
          parts
        )}
        {played && (
          <Suspense fallback={null}>
            <Player document={document} />
          </Suspense>
        )}
        {shown && <WhereItStands where={shown} onClose={() => setShown(null)} />}
      </CaseStateProvider>
    </CaseProvider>
  )
}

const WhereItStands = ({ where, onClose }: { where: Where; onClose: () => void }) => (
  <CatchBoundary
    getResetKey={() => JSON.stringify(where)}
    errorComponent={({ error }) => (
      <Panel title="Where this number stands" onClose={onClose}>
        <PageError error={error} />
      </Panel>
    )}
  >
    <Suspense>
      <EvidencePanel where={where} onClose={onClose} />
    </Suspense>
  </CatchBoundary>
)

function CaseSkeleton() {
  return (
    <div className={shell.wrap} role="status" aria-label="The case is being fetched">
      <Skeleton width="62%" height={36} />
      <p />
      <Skeleton width="80%" height={24} />
      <p />
      <Skeleton height={320} />
    </div>
  )
}

function CaseProblem({ error, retry }: { error: Error; retry: () => void }) {
  if (error instanceof ApiError && error.status === 404) {
    return (
      <div className={shell.wrap}>
        <title>No such case · IOtriage</title>
        <h1>There is no case at this address.</h1>
        <p className={shell.lead}>
          It may have been removed, the address was cut short, or it is not among the cases that you may see.
        </p>
        <Link to="/">All cases</Link>
      </div>
    )
  }
  return (
    <div className={shell.wrap}>
      <title>Case · IOtriage</title>
      <QueryProblem query={{ error, refetch: retry }} what="The case" />
    </div>
  )
}
