import { describe, expect, test } from 'vitest'
import { type ConditionNode, decidingLeaves, type Leaf } from './condition'

const word = (value: string, answer: boolean): Leaf => ({
  kind: 'is_one_of',
  metric: 'ost.ranks_elsewhere',
  title: 'How the ranks on the slowest OST do elsewhere',
  unit: 'word',
  value,
  confidence: 'measured',
  where: [],
  settled_by: [],
  words: ['as others', 'unknown'],
  answer,
  reason: null,
})

describe('what an answer rests on', () => {
  test.each([
    ['unknown', true, 0],
    ['as others', true, 1],
    ['unknown', false, 1],
  ])('a word that is %s, where the comparison is %s', (value, answer, told) => {
    const node: ConditionNode = { kind: 'all_of', of: [word(value, answer)], answer }
    expect(decidingLeaves(node)).toHaveLength(told)
  })

  test.each([
    [false, 1],
    [null, 2],
  ])('that no records are missing, where the comparison is %s', (answer, told) => {
    const missing = { ...word('no', false), metric: 'evidence.records_missing', answer }
    const of = [{ ...word('as others', false), answer }, missing]
    expect(decidingLeaves({ kind: 'any_of', of, answer })).toHaveLength(told)
  })
})
