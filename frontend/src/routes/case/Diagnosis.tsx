import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, memo, useDeferredValue, useMemo } from 'react'
import type { CaseSearch } from '../../analysis/search'
import { LinkedProvider } from '../../charts/frame/linked'
import { linkIn, linkInAddress } from '../../charts/frame/linkInAddress'
import { aboutOf } from '../../findings/about'
import { useCase } from '../../findings/CaseContext'
import { ClearGroup, NotApplicableGroup, UnknownGroup } from '../../findings/FindingGroups'
import { FindingList } from '../../findings/FindingList'
import { CauseRows, FindingRow } from '../../findings/FindingRow'
import { keyOf, type Sorted } from '../../findings/keys'
import { NextRunSection } from '../../findings/NextRunSection'
import rail from '../../findings/Rail.module.css'
import { Overview } from '../../overview/Overview'
import { usePlayback } from '../../showme/usePlayback'
import { textsAlone } from '../../sources/textEvidence'
import { LatePart } from '../../ui/LatePart'
import { Skeleton } from '../../ui/Notice'
import section from '../../ui/Section.module.css'
import { useMedia } from '../../ui/useMedia'
import { useStillOnPage } from '../../ui/useStillOnPage'
import { chosenOf } from '../../whatif/chosen'
import css from '../Case.module.css'
import { useCaseState } from './CaseState'

const route = getRouteApi('/cases/$caseId')
/** Rail.module.css says so of its look: without it the thresholds follow what they decide, for Tab and ear as for the eye. */
const ROOM_BESIDE = 'not all and (max-width: 67.5em)'
const Charts = memo(lazy(() => import('../../charts/frame/Charts')))
const FileTable = memo(
  lazy(() => import('../../findings/FileTable').then((module) => ({ default: module.FileTable }))),
)
const WhatIfSection = lazy(() => import('../../whatif/WhatIfSection'))
const Sources = lazy(() => import('../../sources/Sources'))
// Below what is seen first, in every window.
const CaseThresholds = lazy(() => import('./CaseThresholds'))
const Provenance = lazy(() => import('./Provenance').then((module) => ({ default: module.Provenance })))

/** What is wrong, how sure, the charts of it, the files, and what the sources say: that first, where it is all there is. */
export function Diagnosis() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/cases/$caseId' })
  const stillHere = useStillOnPage()
  const { document } = useCase()
  const { view, sorted, current } = useCaseState()
  const played = usePlayback(document)
  // The charts follow a slider when there is time: what is decided by it comes first.
  const drawn = useDeferredValue(document)
  const leading = sorted.causes[0]?.finding
  const open = search.open ?? (leading && keyOf(leading))
  const opened = useMemo(() => {
    const scene = played.steps[played.at]?.scene
    if (scene?.kind === 'charts') return scene.links
    const finding = drawn.findings.find((one) => keyOf(one) === open)
    return finding ? aboutOf(finding, drawn) : []
  }, [drawn, open, played.steps, played.at])
  const pressed = useMemo(
    () => (search.play === undefined ? linkIn(search.mark) : null),
    [search.play, search.mark],
  )
  const change = (search: (old: CaseSearch) => CaseSearch) =>
    stillHere() && navigate({ search, replace: true, resetScroll: false, hashScrollIntoView: false })
  const alone = textsAlone(document)
  const beside = useMedia(ROOM_BESIDE)
  const said = (
    <Sources
      document={document}
      opened={search.said}
      onOpened={(said) => change(({ said: _, ...old }) => (said === undefined ? old : { ...old, said }))}
    />
  )
  const sidebar = (
    <aside key="rail" className={rail.rail} aria-label={beside ? 'Findings and thresholds' : 'Thresholds'}>
      <div className={rail.stick}>
        {beside && (
          <FindingList
            sorted={sorted}
            current={current}
            triggered={document.findings.filter((f) => f.verdict === 'triggered').length}
          />
        )}
        <LatePart what="The thresholds" waiting={<Skeleton height={480} />}>
          <CaseThresholds />
        </LatePart>
      </div>
    </aside>
  )
  const main = (
    <div key="main" className={css.main}>
      <Findings sorted={sorted} told={document.headlines.no_io === null} />
      <NextRunSection />
      {chosenOf(document.what_if, search.whatif) && (
        <LatePart what="What other settings would do" waiting={<Skeleton height={560} />}>
          <WhatIfSection />
        </LatePart>
      )}
      {/* They wait for one another: what a person points at must not move away. */}
      <LatePart
        what={`${alone ? 'What the sources say, the' : 'The'} charts and the files`}
        waiting={<Skeleton height={1200} />}
      >
        {alone && said}
        <Charts document={drawn} />
        <FileTable document={drawn} />
      </LatePart>
      {!alone && (
        <LatePart what="What the sources say" waiting={<Skeleton height={240} />}>
          {said}
        </LatePart>
      )}
    </div>
  )
  return (
    <LinkedProvider
      opened={opened}
      pressed={pressed}
      all={search.charts === 'all' && search.play === undefined}
      onPress={(link) =>
        change(({ mark: _, ...old }) => (link ? { ...old, mark: linkInAddress(link) } : old))
      }
      onShowAll={() => change(({ mark: _, ...old }) => ({ ...old, charts: 'all' }))}
    >
      <Overview document={document} />
      <div className={css.body}>
        {beside ? [sidebar, main] : [main, sidebar]}
        <div className={css.foot}>
          <LatePart what="How this was made" waiting={<Skeleton height={52} />}>
            <Provenance view={view} document={document} />
          </LatePart>
        </div>
      </div>
    </LinkedProvider>
  )
}

const Findings = ({ sorted, told }: { sorted: Sorted; told: boolean }) => (
  <section aria-labelledby="findings">
    <div className={section.row}>
      <h2 id="findings">What is wrong, and how sure</h2>
      {sorted.causes.length === 0 && (
        <p>{told ? 'nothing at these thresholds' : 'nothing is here to judge it by'}</p>
      )}
      {sorted.causes.length > 1 && <p>by the I/O time that each takes, then the most severe first</p>}
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
)
