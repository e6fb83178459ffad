import type { ConditionView, RuleView } from '../../api/types'

type Threshold = RuleView['thresholds'][number]

/** The thresholds of a rule that can be drawn as a line: all comparisons with them go the same way. */
export const drawable = (rule: RuleView): Threshold[] =>
  rule.thresholds.filter((threshold) => {
    const operators = new Set(
      [rule.requires, rule.condition]
        .flatMap(leaves)
        .flatMap((leaf) =>
          leaf.kind === 'compare' && leaf.threshold === threshold.id ? [leaf.operator] : [],
        ),
    )
    const [operator] = operators
    return operators.size === 1 && operator !== '==' && operator !== '!='
  })

const leaves = (node: ConditionView): ConditionView[] =>
  node.kind === 'all_of' || node.kind === 'any_of' ? node.of.flatMap(leaves) : [node]

const DAY_MS = 86_400_000

/** The first of so many days of which the last is given: "2026-11-20". */
export const firstOf = (last: string, days: number): string =>
  new Date(Date.parse(`${last}T00:00:00Z`) - (days - 1) * DAY_MS).toISOString().slice(0, 10)
