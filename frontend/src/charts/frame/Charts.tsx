import type { CaseDocument } from '../../analysis/caseDocument'
import { readInPart, sawNothing } from '../../analysis/headline'
import { benchmarksAlone } from '../../sources/textEvidence'
import { LatePart } from '../../ui/LatePart'
import section from '../../ui/Section.module.css'
import { CHARTS } from '../all'
import css from './Charts.module.css'
import { HighlightStatus } from './HighlightStatus'
import { Key } from './Key'
import { MissingCharts } from './MissingCharts'

/** All charts of a document, below their key. Loaded after the findings, which stand above. */
export default function Charts({ document }: { document: CaseDocument }) {
  const any = CHARTS.some((chart) => chart.missing(document) === null)
  if (!any && (sawNothing(document) || benchmarksAlone(document))) return null
  return (
    <section aria-labelledby="charts">
      <div className={section.row}>
        <h2 id="charts">Charts</h2>
        {any && <Key />}
      </div>
      {any && <HighlightStatus document={document} />}
      <ChartGrid document={document} />
    </section>
  )
}

/** What can be drawn first; then, as a list, what other evidence would draw. */
export function ChartGrid({ document }: { document: CaseDocument }) {
  const drawn = CHARTS.filter((chart) => chart.missing(document) === null)
  const missing = benchmarksAlone(document) ? [] : CHARTS.flatMap((chart) => chart.missing(document) ?? [])
  // The narrow ones stand in pairs; one that is left over has the whole row.
  const narrow = drawn.filter((chart) => !chart.wide)
  const alone = narrow.length % 2 === 1 ? narrow.at(-1)?.id : undefined
  return (
    <>
      <div className={css.charts}>
        {drawn.map(({ id, wide, question, Drawing }) => (
          <div key={id} className={wide || id === alone ? css.wide : ''}>
            <LatePart what={`“${question}”`}>
              <Drawing document={document} />
            </LatePart>
          </div>
        ))}
      </div>
      {missing.length > 0 && (
        <MissingCharts
          charts={missing}
          darshanLog={
            readInPart(document)
              ? 'in part'
              : document.sources.some(({ kind }) => kind === 'darshan_log')
                ? 'whole'
                : null
          }
          cannotShow={document.cannot_show}
          folded={drawn.length === 0}
        />
      )}
    </>
  )
}
