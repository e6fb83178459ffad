import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, useCallback, useDeferredValue, useMemo } from 'react'
import type { CaseDocument } from '../../analysis/caseDocument'
import { focusOf } from '../../analysis/focus'
import { NOTHING_USED, readInPart, sawNothing } from '../../analysis/headline'
import { searchWith } from '../../analysis/search'
import type { FilePage } from '../../api/types'
import { FileFilter } from '../../files/FileFilter'
import { FileRows } from '../../files/FileRows'
import css from '../../files/Files.module.css'
import { csvAddress, firstFilesQuery, groupsQuery } from '../../files/queries'
import { askedOf, type FilesSearch } from '../../files/search'
import { flat, folded } from '../../files/segments'
import { summaryOf } from '../../files/summaryOf'
import { useCase } from '../../findings/CaseContext'
import { plural } from '../../format'
import button from '../../ui/Button.module.css'
import { LatePart } from '../../ui/LatePart'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { useStillOnPage } from '../../ui/useStillOnPage'

/** Opened by a click. */
const FileDetailPanel = lazy(() =>
  import('../../files/FileDetailPanel').then((module) => ({ default: module.FileDetailPanel })),
)

const route = getRouteApi('/cases/$caseId/files')

/** All files of the case, however many: found, sorted, folded, and opened one by one. */
export function Files() {
  const { caseId, document } = useCase()
  const focus = useMemo(() => focusOf(document), [document])
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/cases/$caseId/files' })
  const stillHere = useStillOnPage()
  const { q, pattern, layer, moved, sort } = search
  const asked = useMemo(
    () => askedOf({ q, pattern, layer, moved, sort } as FilesSearch, focus),
    [q, pattern, layer, moved, sort, focus],
  )
  const settled = useDeferredValue(asked)
  const grouped = search.grouped !== 'no'
  const first = useQuery(firstFilesQuery(caseId, settled))
  const groups = useInfiniteQuery({ ...groupsQuery(caseId, settled), enabled: grouped })
  const about = document.groups.length > 1 ? focus?.group : null
  const unfolded = useMemo(
    () => new Set((search.unfolded ?? about ?? 'none').split(',')),
    [search.unfolded, about],
  )
  const matched = first.data?.matched ?? 0
  const lines = useMemo(() => {
    if (!grouped) return flat(matched)
    const there = groups.data?.pages.flatMap((page) => page.groups) ?? []
    return folded(there, unfolded, (groups.data?.pages[0]?.groups_matched ?? 0) - there.length)
  }, [grouped, matched, groups.data, unfolded])
  const change = useCallback(
    (set: FilesSearch, drop: readonly (keyof FilesSearch)[] = []) =>
      stillHere() &&
      navigate({
        search: (old) => searchWith(old, set, drop),
        replace: true,
        resetScroll: false,
      }),
    [navigate, stillHere],
  )
  const fold = (group: string) => {
    const next = new Set(unfolded)
    if (!next.delete(group)) next.add(group)
    next.delete('none')
    change({ unfolded: next.size > 0 ? [...next].join(',') : 'none' })
  }
  const fetchMore = useCallback(() => {
    if (!groups.isFetchingNextPage) groups.fetchNextPage()
  }, [groups.isFetchingNextPage, groups.fetchNextPage])
  const failed = first.error ? first : grouped && groups.error ? groups : null
  return (
    <div className={css.view}>
      <div className={css.head}>
        <h2>Files</h2>
        <p role="status">{first.data && summaryOf(first.data, document)}</p>
      </div>
      {document.files_total > 0 && (
        <FileFilter
          search={search}
          page={first.data}
          onChange={change}
          csv={
            <a className={`${button.button} ${css.csv}`} href={csvAddress(caseId, asked)} download>
              {csvWords(first.data)}
            </a>
          }
        />
      )}
      {failed ? (
        <QueryProblem query={failed} what="The list of files" />
      ) : first.isPending || (grouped && groups.isPending) ? (
        <Skeleton height={420} />
      ) : lines.total === 0 ? (
        <p className="muted">{nothing(first.data, document)}</p>
      ) : (
        <FileRows
          caseId={caseId}
          asked={settled}
          lines={lines}
          onSort={(by) => change({ sort: by })}
          onOpen={(file) => change({ file })}
          onFold={fold}
          onEnd={fetchMore}
        />
      )}
      {search.file && (
        <LatePart what="The file">
          <FileDetailPanel path={search.file} onClose={() => change({}, ['file'])} />
        </LatePart>
      )}
    </div>
  )
}

const nothing = (page: FilePage | undefined, document: CaseDocument): string =>
  page?.total === 0
    ? sawNothing(document)
      ? NOTHING_USED
      : readInPart(document)
        ? 'The part of the log that names files is missing.'
        : 'The evidence names no files. A Darshan log does, and so do MPICH_MPIIO_STATS blocks.'
    : 'No file of the case is like that. Fewer words, or another pattern or layer, find more.'

/** Of a list that is not there nobody knows how long it is. */
function csvWords(page: FilePage | undefined): string {
  if (page === undefined) return 'As CSV'
  if (page.matched === page.total) return 'All files as CSV'
  return page.matched === 1 ? 'This file as CSV' : `These ${plural(page.matched, 'file')} as CSV`
}
