import { useId } from 'react'
import { IN_JOB_SCRIPT } from '../../analysis/headline'
import { capital, inWords } from '../../format'
import { Command } from '../../ui/Command'
import type { MissingChart } from './chart'
import type { Evidence } from './evidence'
import css from './MissingCharts.module.css'

/** The charts that need other evidence: a list by evidence, and one command for all that a job script can ask for. */
export function MissingCharts({
  charts,
  darshanLog,
  cannotShow,
  folded,
}: {
  charts: readonly MissingChart[]
  /** Whether one was given, and read whole. */
  darshanLog: 'whole' | 'in part' | null
  /** Evidence, by its key, that the same run again would not leave behind. */
  cannotShow: readonly string[]
  /** Whether it is a line to unfold: where nothing is drawn, the sentence on top has said what to add. */
  folded: boolean
}) {
  const heading = useId()
  const wanted = [...new Set(charts.map((chart) => chart.needs))]
  const possible = ({ key }: Evidence) => key === undefined || !cannotShow.includes(key)
  const none = charts.filter((chart) => !possible(chart.needs))
  const lines = new Set(wanted.filter(possible).flatMap(({ lines }) => lines?.split('\n') ?? []))
  const list = (
    <>
      <dl className={css.wanted}>
        {wanted.filter(possible).map((evidence) => (
          <div key={evidence.name}>
            <dt>{evidence.name}</dt>
            <dd>
              <p>{darshanLog && evidence.inDarshanLog ? ABSENT_FROM_IT[darshanLog] : evidence.how}</p>
              <Questions charts={charts.filter((chart) => chart.needs === evidence)} />
            </dd>
          </div>
        ))}
        {none.length > 0 && (
          <div>
            <dt>Not from a run like this one</dt>
            <dd>
              <p>{NOT_FOR_THIS_JOB}</p>
              <Questions charts={none} />
            </dd>
          </div>
        )}
      </dl>
      {lines.size > 0 && (
        <>
          <p className="small">{IN_JOB_SCRIPT}</p>
          <Command small text={[...lines].join('\n')} />
        </>
      )}
    </>
  )
  const words = capital(title(charts.length))
  if (folded)
    return (
      <details className={css.list} aria-label={words}>
        <summary>{words}</summary>
        {list}
      </details>
    )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; landmarks of one name would stand side by side in the gallery
    <div className={css.list} role="group" aria-labelledby={heading}>
      <h3 id={heading}>{words}</h3>
      {list}
    </div>
  )
}

const ABSENT_FROM_IT = {
  whole: 'The log given has no such record: a module was off, or the job did nothing of the kind.',
  'in part':
    'The log given was read in part: such a record is missing, or a module was off, or the job did nothing of the kind.',
} as const

const NOT_FOR_THIS_JOB = 'The program, its MPI library or its file system has nothing of the kind.'

const title = (count: number): string =>
  count === 1 ? 'one chart needs other evidence' : `${inWords(count)} charts need other evidence`

function Questions({ charts }: { charts: readonly MissingChart[] }) {
  return (
    <ul>
      {charts.map(({ id, question, missing }) => (
        <li key={id}>
          {question} <span>{missing}</span>
        </li>
      ))}
    </ul>
  )
}
