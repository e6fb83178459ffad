import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { samplesQuery } from '../../api/queries'
import type { SampleView } from '../../api/types'
import { count, plural, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { DOT } from '../../ui/Dotted'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import section from '../../ui/Section.module.css'
import { SeverityMark } from '../../ui/Severity'
import css from './Start.module.css'

const FIRST = 12

export default function Samples() {
  const query = useQuery(samplesQuery)
  return (
    <section aria-labelledby="samples">
      <div className={section.row}>
        <h2 id="samples">Samples</h2>
        <p>no log at hand? Open one of these: real logs of this project's own programs</p>
      </div>
      {query.isPending ? (
        <Skeleton height={240} />
      ) : query.error ? (
        <QueryProblem query={query} what="The samples" />
      ) : (
        <SampleList samples={query.data} />
      )}
    </section>
  )
}

function SampleList({ samples }: { samples: readonly SampleView[] }) {
  const [all, setAll] = useState(false)
  if (samples.length === 0) return <p className="muted">This server was started without samples.</p>
  const shown = all ? samples : samples.slice(0, FIRST)
  return (
    <>
      <div className={css.samples}>
        {shown.map((sample) => (
          <SampleLink key={sample.id} sample={sample} />
        ))}
      </div>
      {!all && samples.length > FIRST && (
        <div className={css.pages}>
          <button type="button" className={button.button} onClick={() => setAll(true)}>
            All {count(samples.length)} samples
          </button>
        </div>
      )}
    </>
  )
}

function SampleLink({ sample }: { sample: SampleView }) {
  const reading = sample.status === 'reading'
  return (
    <Link to="/cases/$caseId" params={{ caseId: sample.id }}>
      <span>
        <SeverityMark mark={sample.severity ?? 'unknown'} label />
      </span>
      <b>{sample.headline ? unbroken(sample.headline) : reading ? 'Being read.' : sample.title}</b>
      <small>
        {sample.title}
        {sample.nprocs !== null && `${DOT}${plural(sample.nprocs, 'rank')}`}
      </small>
      <small>{sample.evidence.join(', ')}</small>
    </Link>
  )
}
