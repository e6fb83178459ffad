import { describe, expect, it } from 'vitest'
import type { ConditionView } from '../api/types'
import { folded, leavesIn, treeOf } from './conditionTree'

const compare = (metric: string): ConditionView => ({
  kind: 'compare',
  metric,
  operator: '>=',
  threshold: `rule.${metric}`,
})
const present = (metric: string): ConditionView => ({ kind: 'present', metric })
const allOf = (...of: ConditionView[]): ConditionView => ({ kind: 'all_of', of })
const anyOf = (...of: ConditionView[]): ConditionView => ({ kind: 'any_of', of })
const leaf = (metric: string, known = false) => ({ kind: 'leaf', leaf: compare(metric), known })

describe('what a person reads of a condition', () => {
  it('has no junction within one of its kind', () => {
    expect(treeOf(allOf(compare('a'), allOf(compare('b'), allOf(compare('c')))))).toEqual({
      kind: 'all_of',
      of: [leaf('a'), leaf('b'), leaf('c')],
    })
  })

  it('takes a junction of one part for that part', () => {
    expect(treeOf(allOf(compare('a'), anyOf(allOf(compare('b'), compare('c')))))).toEqual({
      kind: 'all_of',
      of: [leaf('a'), leaf('b'), leaf('c')],
    })
  })

  it('says in one line that a metric is there and how much it is', () => {
    expect(treeOf(allOf(present('a'), compare('a'), present('b')))).toEqual({
      kind: 'all_of',
      of: [leaf('a', true), { kind: 'leaf', leaf: present('b'), known: false }],
    })
  })

  it('has no alternative that holds only where another one does', () => {
    const reads = [compare('reads'), compare('size')]
    const writes = [compare('writes')]
    expect(
      treeOf(
        anyOf(
          allOf(present('reads'), ...reads),
          allOf(present('writes'), ...writes),
          allOf(...reads, ...writes),
        ),
      ),
    ).toEqual({
      kind: 'any_of',
      of: [{ kind: 'all_of', of: [leaf('reads', true), leaf('size')] }, leaf('writes', true)],
    })
  })

  it('keeps alternatives that ask the same, and an empty condition', () => {
    expect(treeOf(anyOf(compare('a'), allOf(compare('b'), compare('c'))))).toMatchObject({ of: [{}, {}] })
    expect(treeOf(allOf())).toEqual({ kind: 'all_of', of: [] })
  })

  it('folds a long alternative under the comparisons that tell which one it is', () => {
    const ways = anyOf(allOf(compare('a'), compare('b')), allOf(compare('c'), compare('d')), compare('e'))
    const long = treeOf(allOf(compare('layer'), ways))
    expect(leavesIn(long)).toBe(6)
    expect(folded(long)).toEqual({ names: [leaf('layer')], rest: [treeOf(ways)] })
    expect(folded(treeOf(allOf(compare('layer'), compare('a'))))).toBeNull()
    expect(folded(treeOf(ways))).toBeNull()
  })
})
