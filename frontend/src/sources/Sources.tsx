import { useMemo } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { count, plural } from '../format'
import section from '../ui/Section.module.css'
import { AgreementTable } from './AgreementTable'
import { BenchmarkRates } from './benchmarks/BenchmarkRates'
import { Benchmarks } from './benchmarks/Benchmarks'
import { Complaints } from './Complaints'
import { CrayPat } from './CrayPat'
import { DarshanTotals } from './DarshanTotals'
import { Environment } from './Environment'
import { JobContexts } from './JobContexts'
import { OpenedKinds } from './Kind'
import { Layouts, OstUse } from './Layouts'
import { MpiCalls } from './MpiCalls'
import { HintsTable } from './mpich/HintsTable'
import { Placement } from './mpich/Placement'
import { StatsBlocks } from './mpich/StatsBlocks'
import { TimersBlocks } from './mpich/TimersBlocks'
import { Quotas } from './Quotas'
import { StorageLayouts } from './StorageLayouts'
import { textsAlone } from './textEvidence'

const KINDS = {
  agreement: AgreementTable,
  complaints: Complaints,
  hints: HintsTable,
  environment: Environment,
  placement: Placement,
  stats: StatsBlocks,
  timers: TimersBlocks,
  craypat: CrayPat,
  layouts: Layouts,
  osts: OstUse,
  storage: StorageLayouts,
  quotas: Quotas,
  job: JobContexts,
  benchmarks: Benchmarks,
  rates: BenchmarkRates,
  totals: DarshanTotals,
  mpi: MpiCalls,
}

/** Everything the texts said, kind by kind, each line with the place it stands. What is not there is left out. */
export default function Sources({
  document,
  opened,
  onOpened,
}: {
  document: CaseDocument
  /** Ids of open kinds, with commas between, as the address has them; undefined is what is worth a look. */
  opened: string | undefined
  onOpened: (opened: string | undefined) => void
}) {
  const standard = useMemo(() => worthALook(document), [document])
  const names = opened === undefined ? standard : opened.split(',')
  const kinds = {
    isOpen: (id: string) => names.includes(id),
    toggle: (id: string) => {
      const next = names.includes(id)
        ? names.filter((n) => n !== id)
        : [...names.filter((n) => n !== 'none'), id]
      const same = next.length === standard.length && next.every((n) => standard.includes(n))
      onOpened(same ? undefined : next.join(',') || 'none')
    },
  }
  const left = document.texts_total - document.texts.length
  if (document.texts.length === 0 && document.agreement.length === 0 && !document.mpi) return null
  return (
    <section aria-labelledby="said">
      <div className={section.row}>
        <h2 id="said">What the sources say</h2>
        {document.texts_total > 0 && (
          <p>
            {plural(document.texts_total, 'part')} of the texts
            {left > 0 && `; the first ${count(document.texts.length)} are listed`}
          </p>
        )}
      </div>
      <OpenedKinds value={kinds}>
        {Object.entries(KINDS).map(([id, Shown]) => (
          <Shown key={id} document={document} />
        ))}
      </OpenedKinds>
    </section>
  )
}

/** Kinds that no chart is drawn of. */
const TABLES_ALONE = ['rates', 'benchmarks', 'craypat', 'layouts', 'storage', 'job']

function worthALook(document: CaseDocument): string[] {
  const { agreement, texts } = document
  const complaints = [
    'mpiio_io_error',
    'system_errors',
    'mpiio_internal_error',
    'mpich_abort',
    'dvs_stripe_warning',
  ]
  return [
    ...(agreement.some((a) => !a.agrees) ? ['agreement'] : []),
    ...(texts.some(({ part }) => complaints.includes(part.kind)) ? ['complaints'] : []),
    ...(textsAlone(document) ? TABLES_ALONE : []),
  ]
}
