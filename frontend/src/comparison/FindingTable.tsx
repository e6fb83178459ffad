import { Link } from '@tanstack/react-router'
import type { Comparison } from '../api/types'
import { Scroll } from '../ui/Scroll'
import { type Mark, SeverityMark, SeverityWord } from '../ui/Severity'
import table from '../ui/Table.module.css'
import css from './Tables.module.css'

type Change = Comparison['findings'][number]
type State = Change['states'][number]
type Step = Comparison['steps'][number]

const ANSWERS = { confirmed: '✓ confirmed', refuted: '✗ refuted', undecided: '? not decided' } as const

/** Which findings went, came and stayed, run by run. */
export function FindingTable({ comparison, step }: { comparison: Comparison; step: Step | null }) {
  if (comparison.findings.length === 0) {
    return <p className="muted">None of the runs has a finding about its I/O.</p>
  }
  return (
    <Scroll label="Findings of the runs">
      <table className={table.table}>
        <caption className="vh">Findings of the runs</caption>
        <thead>
          <tr>
            <th scope="col">finding</th>
            {comparison.runs.map((run) => (
              <th scope="col" key={run.label}>
                {run.label}
              </th>
            ))}
            {step && <th scope="col">result</th>}
          </tr>
        </thead>
        <tbody>
          {comparison.findings.map((change) => (
            <tr key={change.rule}>
              <th scope="row">
                {change.title}{' '}
                <Link className="mono small" to="/rules/$ruleId" params={{ ruleId: change.rule }}>
                  {change.rule}
                </Link>
              </th>
              {change.states.map((state, i) => (
                <td key={comparison.runs[i]?.label} className={css.verdict}>
                  <SeverityMark mark={markOf(state)} /> <SeverityWord mark={markOf(state)} />
                </td>
              ))}
              {step && <td>{wentOf(step, change.rule)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const markOf = (state: State): Mark =>
  state.severity ?? (state.verdict === 'triggered' ? 'info' : (state.verdict ?? 'unknown'))

function wentOf(step: Step, rule: string): string {
  if (step.gone.includes(rule)) return 'gone'
  if (step.came.includes(rule)) return 'new'
  if (step.stayed.includes(rule)) return 'still there'
  return 'not decided'
}

/** Whether the runs bear out what was found in the first. */
export function CauseTable({ step }: { step: Step }) {
  return (
    <table className={table.table} aria-label="Causes by these runs">
      <thead>
        <tr>
          <th scope="col">cause</th>
          <th scope="col">by these runs</th>
          <th scope="col">because</th>
        </tr>
      </thead>
      <tbody>
        {step.causes.map((cause) => (
          <tr key={cause.rule}>
            <th scope="row">{cause.title}</th>
            <td className={css.verdict}>{ANSWERS[cause.answer]}</td>
            <td className={css.because}>{cause.because}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
