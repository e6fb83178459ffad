import type { Comparison } from '../../api/types'
import { CauseTable, FindingTable } from '../../comparison/FindingTable'
import { MetricPairs } from '../../comparison/MetricPairs'
import { RateByProcesses } from '../../comparison/RateByProcesses'
import { RateByStripes } from '../../comparison/RateByStripes'
import { RepeatStrip } from '../../comparison/RepeatStrip'
import { SettingTable } from '../../comparison/SettingTable'
import { comparisons } from '../../fixtures/comparisons'
import section from '../../ui/Section.module.css'
import css from './Gallery.module.css'

/** The charts and tables of each kind of comparison. */
export default function Comparisons() {
  const { change, scaling, striping, repeats } = comparisons
  const [step] = change.steps
  return (
    <>
      <Compared title="Before and after a change" comparison={change}>
        <MetricPairs comparison={change} against={0} run={1} />
        <SettingTable comparison={change} />
        <FindingTable comparison={change} step={step ?? null} />
        {step && <CauseTable step={step} />}
      </Compared>
      <Compared title="More and more processes" comparison={scaling}>
        <RateByProcesses runs={scaling.runs} />
      </Compared>
      <Compared title="Several stripe counts" comparison={striping}>
        <RateByStripes runs={striping.runs} />
      </Compared>
      <Compared title="The same again" comparison={repeats}>
        <RepeatStrip runs={repeats.runs} usual={repeats.usual} />
      </Compared>
    </>
  )
}

function Compared({
  title,
  comparison,
  children,
}: {
  title: string
  comparison: Comparison
  children: React.ReactNode
}) {
  return (
    <section aria-label={title} className={css.stack}>
      <div className={section.row}>
        <h2>{title}</h2>
        <p>{comparison.sentence}</p>
      </div>
      {children}
    </section>
  )
}
