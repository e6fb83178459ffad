import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { evaluate } from '../analysis/evaluate'
import { settingsOf, valuesOf } from '../analysis/thresholds'
import { ApiError, BASE } from '../api/client'
import { caseQuery, infoQuery, isReading, removeCase, siteQuery } from '../api/queries'
import type { CaseDocument, CaseView, Where } from '../api/types'
import { addToCase, type Sent } from '../api/upload'
import { CHARTS } from '../charts/all'
import { Key } from '../charts/frame/Key'
import { type CaseContext, CaseProvider } from '../findings/CaseContext'
import { EvidencePanel } from '../findings/EvidencePanel'
import { FileTable } from '../findings/FileTable'
import { ClearGroup, NotApplicableGroup, UNKNOWN, UnknownGroup } from '../findings/FindingGroups'
import { FindingList } from '../findings/FindingList'
import { CauseRows, FindingRow } from '../findings/FindingRow'
import { foldAround, keyOf, sortFindings } from '../findings/keys'
import rail from '../findings/Rail.module.css'
import { ThresholdPanel } from '../findings/ThresholdPanel'
import { Verdict } from '../findings/Verdict'
import { asSentence, inWords, moment } from '../format'
import button from '../ui/Button.module.css'
import { Notice, Skeleton } from '../ui/Notice'
import { Panel } from '../ui/Panel'
import { QueryProblem } from '../ui/QueryProblem'
import section from '../ui/Section.module.css'
import shell from '../ui/Shell.module.css'
import { Upload } from '../upload/Upload'
import css from './Case.module.css'
import { SourceStates } from './SourceStates'
import { useOpened } from './useOpened'
import { useOwnThresholds } from './useOwnThresholds'

const route = getRouteApi('/cases/$caseId')
const Sources = lazy(() => import('../sources/Sources'))

export function Case() {
  const { caseId } = route.useParams()
  const query = useQuery(caseQuery(caseId, null))
  const [adding, setAdding] = useState(false)
  const view = query.data
  if (query.isPending) return <CaseSkeleton />
  if (query.error && !view) return <CaseProblem error={query.error} retry={() => query.refetch()} />
  if (!view) return <CaseSkeleton />
  return (
    <>
      {view.document ? (
        <Ready key={caseId} view={view} document={view.document} onAdd={() => setAdding(true)} />
      ) : (
        <SourceStates view={view} onAdd={() => setAdding(true)} />
      )}
      {adding && <AddSource view={view} onClose={() => setAdding(false)} />}
    </>
  )
}

function Ready({
  view,
  document: stored,
  onAdd,
}: {
  view: CaseView
  document: CaseDocument
  onAdd: () => void
}) {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/cases/$caseId' })
  const info = useQuery(infoQuery)
  const [shown, setShown] = useState<Where | null>(null)
  const { own, move, reset } = useOwnThresholds()

  // Another site: its thresholds hold at once; its advice comes with the document the server makes again.
  const site = search.site ?? stored.site.id
  const other = site !== stored.site.id
  const again = useQuery({ ...caseQuery(view.id, site), enabled: other })
  const profile = useQuery({ ...siteQuery(site), enabled: other })
  const fresh = other ? again.data?.document : stored
  const base = fresh ?? stored
  const overrides = fresh ? null : (profile.data?.thresholds ?? null)

  const settings = useMemo(() => settingsOf(base, own, overrides), [base, own, overrides])
  const document = useMemo(() => evaluate(base, valuesOf(settings)), [base, settings])
  const sorted = useMemo(() => sortFindings(document.findings), [document])
  const firstCause = sorted.causes[0]?.finding
  const around = useCallback((name: string) => foldAround(sorted.causes, name), [sorted])
  const opened = useOpened(firstCause ? [keyOf(firstCause), UNKNOWN] : [UNKNOWN], around)

  const show = useCallback((where: Where) => setShown(where), [])
  const context: CaseContext = useMemo(
    () => ({
      caseId: view.id,
      document,
      settings: new Map(settings.map((s) => [s.threshold.id, s])),
      titles: new Map(document.documents.map((d) => [d.key, d.title])),
      isOpen: opened.isOpen,
      toggle: opened.toggle,
      show,
      moveThreshold: move,
    }),
    [view.id, document, settings, opened.isOpen, opened.toggle, show, move],
  )

  // Whose thresholds stand beside: they stay while a number is typed that clears their finding.
  const [begun] = useState(firstCause ? keyOf(firstCause) : null)
  const focused = document.findings.find((f) => keyOf(f) === (opened.last ?? begun)) ?? firstCause ?? null
  const chooseSite = (id: string) =>
    navigate({
      search: ({ site: _, ...old }) => (id === stored.site.id ? old : { ...old, site: id }),
      replace: true,
      resetScroll: false,
    })
  const sites = info.data?.sites ?? [{ id: stored.site.id, title: stored.site.title }]

  return (
    <CaseProvider value={context}>
      <title>{`${view.title}: ${document.headline.sentence} · IOtriage`}</title>
      {isReading(view) && (
        <p className={css.again} role="status">
          New sources are being read; what is shown is from before.
        </p>
      )}
      <Verdict view={view} onAdd={onAdd} />
      <div className={css.body}>
        <aside className={rail.rail} aria-label="Findings and thresholds">
          <div className={rail.stick}>
            <FindingList
              sorted={sorted}
              current={opened.last ?? (firstCause ? keyOf(firstCause) : null)}
              total={document.findings.length}
            />
            <ThresholdPanel
              finding={focused}
              sites={sites}
              site={site}
              onSite={chooseSite}
              onReset={reset}
              siteNote={siteNote(stored, base, other, again.isFetching)}
            />
          </div>
        </aside>
        <div className={css.main}>
          <section aria-labelledby="findings">
            <div className={section.row}>
              <h2 id="findings">What is wrong, and how sure</h2>
              <p>
                {sorted.causes.length > 0
                  ? 'most severe first, then by the seconds a fix could save'
                  : `nothing at these thresholds; ${inWords(sorted.clear.length)} ${sorted.clear.length === 1 ? 'finding is' : 'findings are'} clear`}
              </p>
            </div>
            {sorted.causes.map((cause) => (
              <CauseRows key={keyOf(cause.finding)} cause={cause} />
            ))}
            {sorted.errors.map((finding) => (
              <FindingRow key={keyOf(finding)} finding={finding} />
            ))}
            <UnknownGroup findings={sorted.unknown} />
            <ClearGroup findings={sorted.clear} />
            <NotApplicableGroup findings={sorted.notApplicable} />
          </section>
          <section aria-labelledby="pictures">
            <div className={section.row}>
              <h2 id="pictures">Pictures</h2>
              <Key />
            </div>
            <div className={css.charts}>
              {CHARTS.map(({ id, wide, Figure }) => (
                <div key={id} className={wide ? css.wide : ''}>
                  <Figure document={document} />
                </div>
              ))}
            </div>
          </section>
          <FileTable
            document={document}
            words={search.files ?? ''}
            sort={search.sort}
            onWords={(files) =>
              navigate({
                search: ({ files: _, ...old }) => (files === '' ? old : { ...old, files }),
                replace: true,
                resetScroll: false,
              })
            }
            onSort={(sort) =>
              navigate({ search: (old) => ({ ...old, sort }), replace: true, resetScroll: false })
            }
          />
          <Suspense fallback={<Skeleton height={240} />}>
            <Sources
              document={document}
              opened={search.said}
              onOpened={(said) =>
                navigate({
                  search: ({ said: _, ...old }) => (said === undefined ? old : { ...old, said }),
                  replace: true,
                  resetScroll: false,
                  hashScrollIntoView: false,
                })
              }
            />
          </Suspense>
          <Made view={view} document={document} />
        </div>
      </div>
      {shown && <EvidencePanel where={shown} onClose={() => setShown(null)} />}
    </CaseProvider>
  )
}

function siteNote(stored: CaseDocument, base: CaseDocument, other: boolean, fetching: boolean): string {
  if (!other) {
    const { because, checked } = stored.site
    return `${asSentence(because)} Profile checked ${checked}.`
  }
  return fetching
    ? `Chosen by you instead of ${stored.site.title}; its advice is being fetched.`
    : `Chosen by you instead of ${stored.site.title}. Profile checked ${base.site.checked}.`
}

/** Versions that made the document, so that it can be read, or computed again, a year later. */
function Made({ view, document }: { view: CaseView; document: CaseDocument }) {
  const [asked, setAsked] = useState(false)
  const { made_by } = document
  const readers = Object.entries(made_by.readers).map(([name, version]) => `${name} ${version}`)
  return (
    <div className={css.made}>
      <span>Added {moment(view.created_at)}</span>
      {readers.length > 0 && <span>readers {readers.join(', ')}</span>}
      <span>rules {made_by.rules}</span>
      <Link to="/sites/$siteId" params={{ siteId: document.site.id }}>
        site {document.site.title}
      </Link>
      <a href={new URL(`api/v1/cases/${view.id}`, BASE).href} download={`iotriage-${view.id}.json`}>
        this document as JSON
      </a>
      {!view.sample && (
        <button type="button" className={button.link} onClick={() => setAsked(true)}>
          Remove this case
        </button>
      )}
      {asked && <Remove view={view} onClose={() => setAsked(false)} />}
    </div>
  )
}

function Remove({ view, onClose }: { view: CaseView; onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [problem, setProblem] = useState<Error | null>(null)
  const remove = async () => {
    try {
      await removeCase(view.id)
      client.removeQueries({ queryKey: ['case', view.id] })
      client.invalidateQueries({ queryKey: ['cases'] })
      await navigate({ to: '/' })
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)))
    }
  }
  return (
    <Panel title="Remove this case?" onClose={onClose}>
      <p className="soft">
        The case {view.title} and what was found go from the list, for everyone who has its address. Give its
        logs again to have it back.
      </p>
      {problem && (
        <Notice failed title="It could not be removed">
          {problem.message}
        </Notice>
      )}
      <div className={css.actions}>
        <button type="button" className={button.main} onClick={remove}>
          Remove it
        </button>
        <button type="button" className={button.button} onClick={onClose}>
          Keep it
        </button>
      </div>
    </Panel>
  )
}

function AddSource({ view, onClose }: { view: CaseView; onClose: () => void }) {
  const client = useQueryClient()
  const info = useQuery(infoQuery)
  const finish = async (sent: readonly Sent[]) => {
    await addToCase(view.id, sent)
    await client.invalidateQueries({ queryKey: ['case', view.id] })
    onClose()
  }
  return (
    <Panel
      title="Add a source"
      about={`to ${view.title}: more of what the same job left behind`}
      onClose={onClose}
    >
      <Upload narrow limit={info.data?.upload_limit_bytes ?? null} finish={finish} />
    </Panel>
  )
}

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
        <p className={shell.lead}>It may have been removed, or the address was cut short. {error.detail}</p>
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
