import { describe, expect, it } from 'vitest'
import { evaluate } from '../analysis/evaluate'
import type { CaseDocument } from '../api/types'
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
const G1 = { kind: 'group', id: 'g1' }

describe('what a finding is about', () => {
  it('is the OST that the slow one is', () =>
    expect(about(slowOst, 'slow-ost')).toEqual([G1, { kind: 'ost', id: 5 }]))
  it('is the rank that the others wait for', () =>
    expect(about(slowOst, 'straggler-rank')).toEqual([{ kind: 'rank', id: 145 }]))
  it('is the direction where its figures speak of one only', () => {
    expect(about(independentSmall, 'small-io')).toEqual([G1, { kind: 'direction', id: 'write' }])
    expect(about(sievingWrites, 'read-modify-write')).toEqual([G1])
  })
  it('is the files alone where nothing else is named', () =>
    expect(about(lateRanks, 'wait-for-coll')).toEqual([G1]))
  it('is nothing smaller than the job where it is about the job', () =>
    expect(about(manySmallFiles, 'metadata-bound')).toEqual([]))
  it('is the rank that moves all bytes, and none where the evidence does not say which', () => {
    expect(about(largeJob, 'single-aggregator')).toEqual([G1, { kind: 'rank', id: 0 }])
    expect(about(oneStripe, 'single-aggregator')).toEqual([G1])
  })
  it('is its files alone once a moved threshold clears it', () =>
    expect(about(evaluate(slowOst, { 'slow-ost.slowness': 50 }), 'slow-ost')).toEqual([G1]))
})
