/** The next run: for each cause found, the experiment that would confirm or refute it, out of those in the document.
 * The same as `iotriage.analysis.run_sets.next_run`. */
import type { NextRun } from '../api/types'
import type { CaseDocument, Finding } from './caseDocument'

type Experiment = NextRun['experiments'][number]
type Says = NonNullable<Finding['says']>

const MOST_EXPERIMENTS = 3
const CONFIRMED_IF =
  'B no longer shows the finding, and its I/O is faster by more than equal runs usually differ'
const SEND_BACK = [
  "The folders of the runs, each with the program's output, its standard error and its Darshan log.",
]
const REFUTED_IF = 'B no longer shows the finding, and its I/O is not faster'

/** The experiments for the causes found; null where no advice could improve anything. */
export function nextRunOf(findings: readonly Finding[], document: CaseDocument): NextRun | null {
  const causes = findings.filter(
    (finding, i) =>
      isCause(finding) && findings.findIndex((f) => isCause(f) && f.rule === finding.rule) === i,
  )
  const experiments = causes
    .flatMap((finding) => experimentOf(finding, document) ?? [])
    .slice(0, MOST_EXPERIMENTS)
  return experiments.length === 0 ? null : { experiments, send_back: SEND_BACK }
}

const isCause = ({ verdict, weighed, leads, explained_by }: Finding): boolean =>
  verdict === 'triggered' && weighed && !leads && explained_by === null

/** Whether B is a second build: of other source, or linked with another library. */
const isBuiltAgain = (advice: Says['advice'][number] | undefined): boolean =>
  advice !== undefined &&
  (advice.kind === 'code' || advice.actions.some((action) => action.kind === 'module_load' && action.linked))

/** With the first advice that changes the run, as the rule gives it: what other findings add is left out. */
function experimentOf(finding: Finding, { launch }: CaseDocument): Experiment | null {
  const chosen = finding.says?.trials.find(({ advice }) => !finding.given_way.includes(advice))
  if (!chosen) return null
  return {
    rule: finding.rule,
    title: finding.title,
    question: `Test whether this is the cause: ${finding.headline ?? finding.title}`,
    script: chosen.script,
    changes_program: isBuiltAgain(finding.says?.advice[chosen.advice]),
    cost: launch.cost,
    confirmed_if: CONFIRMED_IF,
    refuted_if: REFUTED_IF,
    comparing: `iotriage compare prove-${finding.rule}/*`,
  }
}
