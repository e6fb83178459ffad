/**
 * A directory has one striping, a file one value of a hint, a variable one value: what several findings ask for becomes
 * one line, or one gives way. The same as `without_contradictions` of `iotriage.analysis.decision.contradictions`, from what the
 * document says that each sets.
 */
import type { Advice, AdvisedSetting, GivesWay, Option } from '../api/types'
import type { Finding } from './caseDocument'

interface InForce {
  readonly finding: Finding
  readonly setting: AdvisedSetting
}

/** The findings, in reading order, with the advice withheld that contradicts a finding before it. */
export function withoutContradictions(findings: readonly Finding[]): Finding[] {
  const inForce = new Map<string, InForce[]>()
  const givenWay = new Map<Advice, GivesWay>()
  for (const finding of findings) {
    for (const [advice, settings] of byAdvice(finding)) {
      const way = settings
        .map((mine) => firstWay(mine, inForce.get(mine.target) ?? []))
        .find((w) => w !== null)
      if (way) {
        givenWay.set(advice, way)
        continue
      }
      for (const setting of settings.filter((mine) => isFirstChoice(mine, finding))) {
        const others = inForce.get(setting.target) ?? []
        inForce.set(setting.target, [...others, { finding, setting }])
      }
    }
  }
  return findings.map((finding) => {
    const settings = byAdvice(finding)
    if (settings.size === 0) return finding
    const given = finding.says?.advice ?? []
    const advice = given.map((one) => {
      const way = givenWay.get(one)
      return way ? withheld(one, way) : together(one, settings.get(one) ?? [], finding, inForce)
    })
    const gone = given.flatMap((one, index) => (givenWay.has(one) ? [index] : []))
    return { ...finding, advice: withheldLast(advice), given_way: gone }
  })
}

/** What a triggered finding would set, listed for each piece of its advice. */
function byAdvice(finding: Finding): Map<Advice, AdvisedSetting[]> {
  const found = new Map<Advice, AdvisedSetting[]>()
  if (finding.verdict !== 'triggered' || !finding.says) return found
  for (const setting of finding.says.settings) {
    const advice = finding.says.advice[setting.advice]
    if (advice) found.set(advice, [...(found.get(advice) ?? []), setting])
  }
  return found
}

/** Whether this is the finding's first setting of the target; further ones are alternatives. */
const isFirstChoice = (setting: AdvisedSetting, finding: Finding): boolean =>
  finding.says?.settings.find((other) => other.target === setting.target) === setting

function firstWay(setting: AdvisedSetting, others: readonly InForce[]): GivesWay | null {
  for (const { finding } of others) {
    const way = setting.gives_way_to.find((w) => w.rule === finding.rule && w.scope === finding.scope.id)
    if (way) return way
  }
  return null
}

const withheld = (one: Advice, { what, reason }: GivesWay): Advice => ({
  ...one,
  text: what,
  command: null,
  kind: 'none',
  fortran: null,
  actions: [],
  withheld: reason,
  lead: null,
})

/** The advice with what all ask for who agree; what it leaves as it is gives way to what another asks for. */
function together(
  one: Advice,
  settings: readonly AdvisedSetting[],
  finding: Finding,
  inForce: ReadonlyMap<string, readonly InForce[]>,
): Advice {
  let command = one.command
  for (const mine of settings) {
    if (mine.between === null) continue
    const options = new Map<string, Option>(mine.options.map((option) => [option.name, option]))
    for (const other of inForce.get(mine.target) ?? []) {
      if (other.finding === finding) continue
      for (const theirs of other.setting.options) {
        const had = options.get(theirs.name)
        if (!had || (had.kept && !theirs.kept)) options.set(theirs.name, theirs)
      }
    }
    command = mine.opening + inLine([...options.values()], mine.between) + mine.ending
  }
  return { ...one, command }
}

/** The options as the line has them: `*:cb_nodes=8:romio_cb_write=enable`, a pattern once. */
function inLine(options: readonly Option[], between: string): string {
  const byPattern = new Map<string, string[]>()
  for (const { of, name, text } of options) {
    const parts = byPattern.get(of || name) ?? (of ? [of] : [])
    byPattern.set(of || name, [...parts, text])
  }
  return [...byPattern.values()].map((parts) => parts.join(':')).join(between)
}

/** Moves withheld advice to the end, and drops withheld advice with the same words. */
function withheldLast(advice: readonly Advice[]): Advice[] {
  const gone = advice.filter((one) => one.withheld !== null)
  return [
    ...advice.filter((one) => one.withheld === null),
    ...gone.filter(
      (one, at) => !gone.slice(0, at).some((o) => o.text === one.text && o.withheld === one.withheld),
    ),
  ]
}
