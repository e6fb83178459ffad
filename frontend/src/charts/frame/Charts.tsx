import { useMemo } from 'react'
import type { CaseDocument } from '../../api/types'
import section from '../../ui/Section.module.css'
import { CHARTS } from '../all'
import css from './Charts.module.css'
import type { Chart } from './chart'
import { Key } from './Key'
import { ShownNow } from './ShownNow'

/** Every chart of a document, below its key. Loaded after the findings, which stand above. */
export default function Charts({ document }: { document: CaseDocument }) {
  return (
    <section aria-labelledby="charts">
      <div className={section.row}>
        <h2 id="charts">Charts</h2>
        <Key />
      </div>
      <ShownNow document={document} />
      <ChartGrid document={document} />
    </section>
  )
}

function partition(document: CaseDocument): [drawn: Chart[], missing: Chart[]] {
  const drawn: Chart[] = []
  const missing: Chart[] = []
  for (const chart of CHARTS) (chart.drawable(document) ? drawn : missing).push(chart)
  return [drawn, missing]
}

/** What can be drawn first; then, closer together, what other evidence would draw. */
export function ChartGrid({ document }: { document: CaseDocument }) {
  const [drawn, missing] = useMemo(() => partition(document), [document])
  // The narrow ones stand in pairs; one that is left over has the whole row.
  const narrow = drawn.filter((chart) => !chart.wide)
  const alone = narrow.length % 2 === 1 ? narrow.at(-1)?.id : undefined
  return (
    <>
      <div className={css.charts}>
        {drawn.map(({ id, wide, Drawing }) => (
          <div key={id} className={wide || id === alone ? css.wide : ''}>
            <Drawing document={document} />
          </div>
        ))}
      </div>
      {missing.length > 0 && (
        <div className={css.missing}>
          {missing.map(({ id, Drawing }) => (
            <Drawing key={id} document={document} />
          ))}
        </div>
      )}
    </>
  )
}
