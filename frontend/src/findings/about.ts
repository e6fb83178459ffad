import { useMemo } from 'react'
import type { CaseDocument, Finding } from '../analysis/caseDocument'
import { decidingLeaves } from '../analysis/condition'
import { directionOf, familyOf } from '../analysis/focus'
import { groupLinks } from '../charts/frame/groups'
import type { Link, Links } from '../charts/frame/linked'
import { useCase } from './CaseContext'

/** A finding about more ranks than this is not about certain ranks, but about most of the job. */
const FEW = 8

/** The marks in charts that a finding is about: its group of files where there are several; and where it holds, the
 * ranks, the storage target or the direction of its deciding figures. */
export function aboutOf(finding: Finding, document: CaseDocument): Links {
  const ofGroup = finding.scope.kind === 'group' && document.groups.length > 1
  const files: Link[] = ofGroup ? [{ kind: 'group', id: finding.scope.id }] : []
  if (finding.verdict !== 'triggered') return files
  const metrics = decidingLeaves(finding.condition).map((leaf) => leaf.metric)
  return [
    ...files,
    ...ranksOf(finding, metrics, document),
    ...targetsOf(metrics, document),
    ...directionLinks(metrics),
  ]
}

export function useFindingAbout(finding: Finding): Links {
  const { document } = useCase()
  return useMemo(() => aboutOf(finding, document), [finding, document])
}

function ranksOf(finding: Finding, metrics: readonly string[], document: CaseDocument): Link[] {
  const { ranks, aggregating } = document.charts
  const series = ranks?.series ?? []
  const found = new Set<number>()
  const add = (rank: number | null | undefined) => rank !== null && rank !== undefined && found.add(rank)
  if (metrics.includes('balance.time'))
    add(
      document.account?.slowest?.rank ??
        series.find((one) => one.slowest)?.slowest?.rank ??
        ranks?.reduced[0]?.slowest_rank,
    )
  if (metrics.includes('balance.bytes')) add(series[0]?.busiest.rank)
  if (metrics.some((metric) => metric === 'mpiio.effective_aggregators' || metric === 'mpiio.aggregators')) {
    const mine = groupLinks(document)
    const views = aggregating.filter(
      (view) =>
        view.file === null ||
        finding.scope.kind === 'job' ||
        mine(view.file).some((l) => l.id === finding.scope.id),
    )
    const [view] = views.filter((one) => one.ranks.length > 0 && one.ranks.length <= FEW)
    for (const one of view?.ranks ?? []) add(one.rank)
    if (!view) for (const one of series) if (one.movers === 1) add(one.busiest.rank)
  }
  return [...found].map((id) => ({ kind: 'rank', id }))
}

function targetsOf(metrics: readonly string[], { charts }: CaseDocument): Link[] {
  if (!metrics.some((metric) => familyOf(metric) === 'ost')) return []
  return charts.osts.slice(0, 1).flatMap(({ slowest }) => (slowest ? [{ kind: 'ost', id: slowest.ost }] : []))
}

/** One direction, where the figures speak of no other. */
function directionLinks(metrics: readonly string[]): Link[] {
  const direction = directionOf(metrics)
  return direction === null ? [] : [{ kind: 'direction', id: direction }]
}
