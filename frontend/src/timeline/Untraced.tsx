import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { NOTHING_USED, sawNothing } from '../analysis/headline'
import { useCase } from '../findings/CaseContext'
import { benchmarksAlone, OF_ALL_RANKS } from '../sources/textEvidence'
import { Command } from '../ui/Command'
import { Notice, Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import { fileSpansQuery } from './spans/queries'
import { dxtWouldTrace, NOT_TRACED } from './traceable'
import css from './Untraced.module.css'

const FileSpans = lazy(() => import('./spans/FileSpans').then((module) => ({ default: module.FileSpans })))

const DXT_LINES = 'export DXT_ENABLE_IO_TRACE=1'
const HEATMAP_LINES = 'export DARSHAN_MOD_ENABLE="HEATMAP"'

/** Neither calls nor bins: what counters tell of each file. */
export function Untraced() {
  const { caseId, document } = useCase()
  const timed = (document.charts.activity?.groups.length ?? 0) > 0
  const nothing = sawNothing(document) ? NOTHING_USED : benchmarksAlone(document) ? OF_ALL_RANKS : null
  const query = useQuery({ ...fileSpansQuery(caseId), enabled: timed })
  return (
    <>
      <h2>{timed ? 'Which file was in use, and when?' : 'Which rank did I/O, and when?'}</h2>
      {query.error && <QueryProblem query={query} what="The times of the files" />}
      {timed && query.isPending && <Skeleton height={320} />}
      {query.data && (
        <Suspense fallback={<Skeleton height={320} />}>
          <FileSpans view={query.data} />
          {/* It waits for what stands above it: it would move away otherwise. */}
          <details className={css.how}>
            <summary>Which rank did I/O when was not recorded: how to get it</summary>
            <HowToTime />
          </details>
        </Suspense>
      )}
      {!query.data && !query.isLoading && nothing && <p>{nothing}</p>}
      {!query.data && !query.isLoading && !nothing && (
        <Notice title="No source tells when which rank did I/O">
          <HowToTime />
        </Notice>
      )}
    </>
  )
}

function HowToTime() {
  const { document } = useCase()
  return (
    <>
      <p>
        The case has neither the calls of Darshan's extended tracing (DXT) nor its heatmap. Darshan 3.4 and
        newer record a heatmap by themselves; it is off where the module was disabled. In the job script:
      </p>
      <Command small text={HEATMAP_LINES} />
      {dxtWouldTrace(document) ? (
        <>
          <p>For every single call, in a short run, since such logs are large:</p>
          <Command small text={DXT_LINES} />
        </>
      ) : (
        <p>{NOT_TRACED}</p>
      )}
    </>
  )
}

/** Bins of time, and no calls. */
export function NoCalls() {
  const { document } = useCase()
  return (
    <details className={css.how}>
      <summary>Single calls were not traced: what is shown are bytes in bins of time</summary>
      {dxtWouldTrace(document) ? (
        <>
          <p>To see every call with its offset and file, trace a short run with Darshan's DXT:</p>
          <Command small text={DXT_LINES} />
        </>
      ) : (
        <p>{NOT_TRACED}</p>
      )}
    </details>
  )
}
