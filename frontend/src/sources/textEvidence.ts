import type { CaseDocument } from '../analysis/caseDocument'
import type { TextEvidence as ReadText, Where } from '../api/types'

export type Part = ReadText['part']
export type PartOf<K extends Part['kind']> = Extract<Part, { kind: K }>

/** One thing that a text said, and which source said it. */
export interface TextEvidence<K extends Part['kind']> {
  readonly source: number
  readonly part: PartOf<K>
}

/** What the sources say about one kind, in their order. */
export function textEvidence<K extends Part['kind']>(document: CaseDocument, kind: K): TextEvidence<K>[] {
  return document.texts.flatMap(({ source, part }) =>
    part.kind === kind ? [{ source, part: part as PartOf<K> }] : [],
  )
}

/** Whether the texts are all there is to show: neither a log nor the statistics of a library say what the job did. */
export const textsAlone = ({ texts, charts }: CaseDocument): boolean =>
  texts.length > 0 && [charts.layers, charts.timers, charts.collective, charts.aggregators].every(isEmpty)

const OF_BENCHMARKS: readonly Part['kind'][] = ['benchmark_run', 'benchmark_rates']

/** Whether results of benchmarks, and the layouts of their files, are all there is: of no job, and no log of one is missing. */
export const benchmarksAlone = (document: CaseDocument): boolean =>
  textsAlone(document) &&
  document.texts.some(({ part }) => OF_BENCHMARKS.includes(part.kind)) &&
  document.texts.every(({ part }) => [...OF_BENCHMARKS, 'stripe_layout'].includes(part.kind))

/** What the views of ranks and of times say where `benchmarksAlone`. */
export const OF_ALL_RANKS =
  "A benchmark's result has the rates of all its ranks together: not which of them did what, or when."

const isEmpty = (list: readonly unknown[]) => list.length === 0

export const at = (source: number, first: number, last = first): Where => ({
  source,
  at: { kind: 'lines', first, last },
})
