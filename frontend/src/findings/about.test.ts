import { describe, expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import { evaluate } from '../analysis/evaluate'
import {
  independentSmall,
  largeJob,
  lateRanks,
  manySmallFiles,
  oneStripe,
  sievingWrites,
  slowOst,
} from '../fixtures/documents'
import { aboutOf } from './about'

const about = (document: CaseDocument, rule: string) => {
  const finding = document.findings.find((one) => one.rule === rule)
  if (!finding) throw new Error(`No finding ${rule}`)
  return aboutOf(finding, document)
}
const WRITES = { kind: 'direction', id: 'write' }

describe('what a finding is about', () => {
  it('is the OST that the slow one is', () =>
    expect(about(slowOst, 'slow-ost')).toEqual([{ kind: 'ost', id: 5 }]))
  it('is the rank that the others wait for', () =>
    expect(about(slowOst, 'straggler-rank')).toEqual([{ kind: 'rank', id: 145 }]))
  it('is the direction where its figures speak of one only', () => {
    expect(about(independentSmall, 'small-io')).toEqual([WRITES])
    expect(about(sievingWrites, 'read-modify-write')).toEqual([])
  })
  it('is its group of files where the job has several', () => {
    const [group] = lateRanks.groups
    if (!group) throw new Error('The fixture has no group')
    const two = { ...lateRanks, groups: [group, { ...group, id: 'g2' }] }
    expect(about(two, 'wait-for-coll')).toEqual([{ kind: 'group', id: 'g1' }])
    expect(about(lateRanks, 'wait-for-coll')).toEqual([])
  })
  it('is nothing smaller than the job where it is about the job', () =>
    expect(about(manySmallFiles, 'metadata-bound')).toEqual([]))
  it('is the rank that moves all bytes, and none where the evidence does not say which', () => {
    expect(about(largeJob, 'single-aggregator')).toEqual([{ kind: 'rank', id: 0 }])
    expect(about(oneStripe, 'single-aggregator')).toEqual([])
  })
  it('is no target once a moved threshold clears it', () =>
    expect(about(evaluate(slowOst, { 'slow-ost.slowness': 50, 'slow-ost.apart': 50 }), 'slow-ost')).toEqual(
      [],
    ))
})
