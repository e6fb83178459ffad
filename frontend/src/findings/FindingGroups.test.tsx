import { expect, it } from 'vitest'
import type { Finding } from '../analysis/caseDocument'
import type { ConditionNode } from '../analysis/condition'
import { reasonsOf, undecidedWords } from './FindingGroups'

const leaf = (title: string, reason: string | null, answer: boolean | null = null): ConditionNode => ({
  kind: 'present',
  metric: title,
  title,
  unit: '1',
  value: null,
  answer,
  confidence: null,
  where: [],
  settled_by: [],
  reason,
})
const finding = (...of: ConditionNode[]) => ({
  condition: { kind: 'all_of', answer: null, of } satisfies ConditionNode,
  requires: leaf('Pattern', null, true),
})
const LOG = 'no Darshan log was given'

it('says each reason once, with what it keeps from being known', () => {
  const titles = ['POSIX writes', 'Average POSIX write', 'A share', 'Lustre stripes', 'Reads', 'Writes']
  expect(
    reasonsOf([
      finding(...titles.map((title) => leaf(title, LOG)), leaf('Ranks', 'no source says how many')),
      finding(leaf('Reads', LOG), leaf('Bytes', null, true)),
    ]),
  ).toEqual([
    'No Darshan log was given: POSIX writes; average POSIX write; a share; and 3 more.',
    'No source says how many: ranks.',
  ])
})

it('names no variable twice', () => {
  const reason = 'no source says what FI_OFI_RXM_SAR_LIMIT was'
  const asSet = leaf('FI_OFI_RXM_SAR_LIMIT as set', reason)
  expect(reasonsOf([finding(asSet, leaf('Size of messages', reason)), finding(asSet)])).toEqual([
    'No source says what FI_OFI_RXM_SAR_LIMIT was: size of messages.',
  ])
  expect(reasonsOf([finding(asSet)])).toEqual(['No source says what FI_OFI_RXM_SAR_LIMIT was.'])
})

it('says how many of those that cannot be decided a setting would settle', () => {
  const by = (...evidence: string[]) =>
    ({
      settling: evidence.map((one) => ({ evidence: one, text: one, lines: [`export ${one}=1`] })),
    }) as unknown as Finding
  expect(undecidedWords([by('A')])).toBe('1 finding cannot be decided: one setting would settle it')
  expect(undecidedWords([by('A'), by('B')])).toBe(
    '2 findings cannot be decided: two settings would settle them',
  )
  expect(undecidedWords([by('A'), by()])).toBe(
    '2 findings cannot be decided: one setting would settle one of them',
  )
  expect(undecidedWords([by()])).toBe('1 finding cannot be decided')
})
