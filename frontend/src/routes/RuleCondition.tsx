import { sum } from 'd3-array'
import { Fragment } from 'react'
import { NEVER_HOLD } from '../analysis/condition'
import type { RuleView } from '../api/types'
import { plural } from '../format'
import { type Mark, SeverityMark } from '../ui/Severity'
import { usePrinting } from '../ui/usePrinting'
import { folded, leavesIn, type Tree, treeOf } from './conditionTree'
import css from './Rules.module.css'

/** When a rule applies and when it holds, and what its verdicts mean. */
export function RuleCondition({ rule }: { rule: RuleView }) {
  const verdicts: readonly (readonly [Mark, string, string])[] = [
    [rule.severity, 'triggered', 'it applies, and the condition holds'],
    ['clear', 'clear', rule.clear_title],
    ['unknown', 'unknown', 'a quantity that decides is missing: the finding says which evidence has it'],
    ['not_applicable', 'does not apply', 'what it requires is not met'],
  ]
  return (
    <section id="condition" aria-label="Condition">
      <h2>Condition</h2>
      <div className={css.cond}>
        <ul className={css.tree}>
          <li>
            <span className={css.word}>applies when</span>
            <ul>
              <Branch node={treeOf(rule.requires)} rule={rule} top />
            </ul>
          </li>
          <li>
            <span className={css.word}>holds when</span>
            <ul>
              <Branch node={treeOf(rule.condition)} rule={rule} top />
            </ul>
          </li>
          {rule.supports.length > 0 && (
            <li>
              <span className={css.word}>supported by, deciding nothing</span>
              <ul>
                {rule.supports.map((node) => (
                  <Branch key={JSON.stringify(node)} node={treeOf(node)} rule={rule} />
                ))}
              </ul>
            </li>
          )}
        </ul>
        <div className={css.verdicts}>
          {verdicts.map(([mark, name, words]) => (
            <div key={name}>
              <SeverityMark mark={mark} />
              <b>{name}</b>
              <span>{words}</span>
            </div>
          ))}
        </div>
      </div>
    </section>
  )
}

const SIGNS = { '<': '<', '<=': '≤', '>': '>', '>=': '≥', '==': '=', '!=': '≠' } as const

/** A condition in the words of its quantities; `top` leaves out an outermost "all of". */
function Branch({ node, rule, top = false }: { node: Tree; rule: RuleView; top?: boolean }) {
  if (node.kind === 'leaf') {
    return (
      <li>
        <Comparison of={node} rule={rule} />
      </li>
    )
  }
  if (node.of.length === 0) return <li className={css.word}>always</li>
  const parts = node.of.map((part) =>
    node.kind === 'any_of' ? (
      <Alternative key={JSON.stringify(part)} node={part} rule={rule} />
    ) : (
      <Branch key={JSON.stringify(part)} node={part} rule={rule} />
    ),
  )
  if (top && node.kind === 'all_of') return parts
  return (
    <li>
      <span className={css.word}>{node.kind === 'all_of' ? 'all of' : 'any of'}</span>
      <ul>{parts}</ul>
    </li>
  )
}

/** One way in which a condition may hold. A long one is folded under what it begins with. */
function Alternative({ node, rule }: { node: Tree; rule: RuleView }) {
  const printing = usePrinting()
  const long = folded(node)
  if (long === null) return <Branch node={node} rule={rule} />
  return (
    <li>
      <details open={printing || undefined}>
        <summary>
          {long.names.map((name, i) => (
            <Fragment key={JSON.stringify(name)}>
              {i > 0 && <span className={css.word}> and </span>}
              <Comparison of={name} rule={rule} />
            </Fragment>
          ))}
          <span className={css.word}>, and {plural(sum(long.rest, leavesIn), 'more comparison')}</span>
        </summary>
        <ul>
          {long.rest.map((part) => (
            <Branch key={JSON.stringify(part)} node={part} rule={rule} />
          ))}
        </ul>
      </details>
    </li>
  )
}

function Comparison({ of, rule }: { of: Tree; rule: RuleView }) {
  if (of.kind !== 'leaf') return null
  const { leaf, known } = of
  switch (leaf.kind) {
    case 'compare':
      return (
        <>
          {leaf.metric} {SIGNS[leaf.operator]}{' '}
          <span className={css.threshold} title={rule.thresholds.find((t) => t.id === leaf.threshold)?.title}>
            {leaf.threshold.replace(`${rule.id}.`, '')}
          </span>
          {known && <span className={css.word}> where it is known</span>}
        </>
      )
    case 'is_one_of':
      return NEVER_HOLD.has(leaf.metric) ? (
        <>
          <span className={css.word}>or else nobody knows, where</span> {leaf.metric}{' '}
          <span className={css.word}>is absent</span>
        </>
      ) : (
        <>
          {leaf.metric} <span className={css.word}>is</span> {leaf.words.join(' or ')}
        </>
      )
    case 'present':
      return (
        <>
          {leaf.metric} <span className={css.word}>is in the evidence</span>
        </>
      )
  }
}
