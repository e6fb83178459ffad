/** The next run: for each cause found, the experiment that would confirm or refute it, as lines for the job script. The
 * same as `iotriage.analysis.run_sets.next_run`. */
import type { Advice, NextRun } from '../api/types'
import type { CaseDocument, Finding } from './caseDocument'

type Experiment = NextRun['experiments'][number]
type Trial = NonNullable<NonNullable<Finding['says']>['trial']>

const MOST_EXPERIMENTS = 3
const CONFIRMED_IF =
  'B no longer shows the finding, and its I/O is faster by more than equal runs usually differ'
const REFUTED_IF = 'B no longer shows the finding, and its I/O is not faster'
const SHORTEN =
  'Shorten the run where the program can, to one of its outputs: the same change shows at less cost.'

/** Null where nothing is wrong that advice can put right. */
export function nextRunOf(findings: readonly Finding[], document: CaseDocument): NextRun | null {
  const causes = findings.filter(
    (finding, i) =>
      isCause(finding) && findings.findIndex((f) => isCause(f) && f.rule === finding.rule) === i,
  )
  const experiments = causes
    .flatMap((finding) => experimentOf(finding, document) ?? [])
    .slice(0, MOST_EXPERIMENTS)
  const [first] = experiments
  if (!first) return null
  return {
    experiments,
    send_back: [
      "The folders of the runs, each with the program's output, its standard error and its Darshan log.",
      `Or compare them where they are: iotriage compare prove-${first.rule}/*`,
    ],
  }
}

const isCause = ({ verdict, weighed, leads, explained_by }: Finding): boolean =>
  verdict === 'triggered' && weighed && !leads && explained_by === null

/** With the first advice that changes the run, as the rule gives it: what other findings add is left out. */
function experimentOf(finding: Finding, document: CaseDocument): Experiment | null {
  const trial = finding.says?.trial
  if (!trial) return null
  const inForce = finding.advice.filter((one) => one.command !== null && one.withheld === null)
  const given = finding.says?.advice ?? []
  const index = given.findIndex(
    ({ text }, i) => trial.changing.includes(i) && inForce.some((one) => one.text === text),
  )
  const fix = given[index]
  if (!fix) return null
  return {
    rule: finding.rule,
    title: finding.title,
    question: `Test whether this is the cause: ${finding.headline ?? finding.title}`,
    script: script(finding.rule, fix, index, trial, document).join('\n'),
    changes_program: fix.kind === 'code',
    cost: document.launch.cost,
    confirmed_if: CONFIRMED_IF,
    refuted_if: REFUTED_IF,
  }
}

function script(rule: string, fix: Advice, index: number, trial: Trial, { launch }: CaseDocument): string[] {
  const own = launch.own ? '' : '   # your own launch line'
  const change = fix.command?.split('\n') ?? []
  const striping = trial.stripings.find(({ advice }) => advice === index)
  const byCode = fix.kind === 'code'
  const after = byCode ? [] : striping ? [striping.after] : change
  const once = launch.repeats === 1
  const times = once ? 'once each' : `${launch.repeats} times each, in turn`
  return [
    `# ${rule}: A as it was, B with the fix and nothing else; ${times}.`,
    ...[launch.cost, once ? SHORTEN : null].flatMap((said) => (said === null ? [] : `# ${said}`)),
    '# Paths in the launch line are seen from the directory of each run.',
    ...launch.showing,
    '',
    ...(byCode
      ? [
          '# B is a second build of the program, with this change:',
          ...change.map((line) => `#   ${line}`),
          `A() { ${launch.text}; }${own}`,
          `B() { ${launch.text}; }   # the same line, with the changed program`,
        ]
      : [`A() { ${launch.text}; }${own}`, 'B() { A; }']),
    '',
    `base=${trial.directory}`,
    `for n in ${Array.from({ length: launch.repeats }, (_, n) => n + 1).join(' ')}; do`,
    '  for v in A B; do',
    '    mkdir -p "$base/$v-$n"',
    '    (',
    '      cd "$base/$v-$n" || exit   # the program must write here',
    '      export DARSHAN_LOGFILE="$PWD/run.darshan"',
    ...(striping?.before ? [`      if [ $v = A ]; then ${striping.before}; fi   # as the files were`] : []),
    ...(after.length > 0
      ? ['      if [ $v = B ]; then', ...after.map((line) => `        ${line}`), '      fi']
      : []),
    '      $v > stdout.txt 2> stderr.txt',
    '    )',
    '  done',
    'done',
  ]
}
