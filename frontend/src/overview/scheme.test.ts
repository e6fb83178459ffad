import { describe, expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import {
  independentSmall,
  largeJob,
  lateRanks,
  manySmallFiles,
  nothingToDraw,
  oneAggregatorStats,
  tunedRun,
} from '../fixtures/documents'
import { termsIn } from '../ui/glossary'
import { schemeOf, schemeWords, systemWords, titleOf } from './scheme'

const words = (document: Parameters<typeof schemeOf>[0]) => {
  const scheme = schemeOf(document)
  return scheme && schemeWords(scheme).replaceAll('\u202f', ' ')
}

it('says how many ranks have files of their own, where that is not all', () => {
  const some = structuredClone(manySmallFiles)
  const metric = some.groups[0]?.metrics['file.ranks_with_own']
  if (!metric) throw new Error('the fixture has no ranks with files of their own')
  Object.assign(metric, { value: 2 })
  expect(words(some)).toMatch(/^2 of 8 ranks write and read files of their own: part/)
})

describe('who moves what, in words', () => {
  it.each([
    [
      'shared, independent',
      independentSmall,
      /^8 ranks write cells\.dat, each with calls of its own; 7\.63 MiB/,
    ],
    [
      'collective through few',
      tunedRun,
      /^8 ranks write history\.h5 in collective calls, through 2 ranks that aggregate; /,
    ],
    [
      'a file a rank',
      manySmallFiles,
      /^Each of 8 ranks writes and reads files of its own: part\.###\.####, 2,000 files; /,
    ],
    [
      'statistics alone',
      oneAggregatorStats,
      /^256 ranks write plume\.0064\.dat in collective calls, through 1 rank that aggregates; 64\.0 GiB/,
    ],
  ])('%s', (_, document, expected) => {
    expect(words(document)).toMatch(expected)
  })
  it('says of one rank that others have little beside it, where they have some', () => {
    const serial = (effective_ranks: number | null): CaseDocument => ({
      ...independentSmall,
      files: independentSmall.files.map((file) => ({
        ...file,
        pattern: 'serial',
        ranks: 8,
        effective_ranks,
      })),
    })
    expect(words(serial(1.03))).toMatch(/^One of 8 ranks writes nearly all of cells\.dat; /)
    expect(words(serial(1.000_001))).toMatch(/^One of 8 ranks writes nearly all of cells\.dat; /)
  })
  it('says of one rank that it moves all of a file that the others only open', () => {
    const opened = (effective_ranks: number | null): CaseDocument => ({
      ...independentSmall,
      files: independentSmall.files.map((file) => ({
        ...file,
        pattern: 'serial',
        ranks: 8,
        effective_ranks,
      })),
    })
    expect(words(opened(1))).toMatch(/^One of 8 ranks writes cells\.dat; /)
    expect(words(opened(1.000_000_000_000_2))).toMatch(/^One of 8 ranks writes cells\.dat; /)
    expect(words(opened(null))).toMatch(/^One of 8 ranks writes cells\.dat; /)
  })
  it('says the aggregators of a block of reads, where the files are read', () => {
    const reads = structuredClone(oneAggregatorStats) as CaseDocument
    for (const { part } of reads.texts)
      if (part.kind === 'mpiio_stats') Object.assign(part, { direction: 'read', aggregators: 8 })
    for (const file of reads.files)
      Object.assign(file, { bytes_read: file.bytes_written, bytes_written: null })
    // Its bins are of writes alone.
    Object.assign(reads.charts, { aggregators: [] })
    expect(words(reads)).toMatch(
      /^256 ranks read plume\.0064\.dat in collective calls, through 8 ranks that aggregate; /,
    )
  })
  it('does not give reads the aggregators of writes', () => {
    const reads = structuredClone(oneAggregatorStats) as CaseDocument
    for (const file of reads.files)
      Object.assign(file, { bytes_read: file.bytes_written, bytes_written: null })
    expect(words(reads)).toMatch(/^256 ranks read plume\.0064\.dat in collective calls; /)
  })
  it('draws the files that the headline speaks of, though others carry more bytes', () => {
    const [first] = independentSmall.findings.filter((f) => f.verdict === 'triggered')
    if (!first) throw new Error('the fixture has no finding')
    const onCheckpoints: CaseDocument = {
      ...tunedRun,
      headline: { ...tunedRun.headline, rule: first.rule },
      findings: [{ ...first, scope: { ...first.scope, id: 'g2', label: 'ckpt.###, 4 files' } }],
    }
    expect(words(tunedRun)).toMatch(/^8 ranks write history\.h5 /)
    expect(words(onCheckpoints)).toMatch(/^8 ranks write ckpt\.###, 4 files, in collective calls/)
  })
  it('says the bytes of all files of a group, of which the document lists the first', () => {
    const [group] = manySmallFiles.groups
    const total = { ...manySmallFiles.metrics['io.bytes'], value: 2 ** 40 } as CaseDocument['metrics'][string]
    const document = {
      ...manySmallFiles,
      groups: group ? [{ ...group, metrics: { 'io.bytes': total } }] : [],
    }
    expect(words(document)).toContain('; 1.00 TiB')
  })
  it('draws no others where it is not known how those are used that the headline speaks of', () => {
    const [finding] = independentSmall.findings.filter((f) => f.verdict === 'triggered')
    const [blamed, other] = tunedRun.groups
    const any = tunedRun.metrics['io.bytes']
    if (!finding || !blamed || !other || !any) throw new Error('the fixtures have no finding, or one group')
    const lying = (share: number): CaseDocument => ({
      ...tunedRun,
      headline: { ...tunedRun.headline, rule: finding.rule },
      findings: [
        { ...finding, scope: { ...finding.scope, kind: 'group', id: blamed.id, label: blamed.label } },
      ],
      files: tunedRun.files.map((f) => (f.group === blamed.id ? { ...f, pattern: null } : f)),
      groups: [
        blamed,
        { ...other, metrics: { ...other.metrics, 'group.bytes_fraction': { ...any, value: share } } },
      ],
    })
    expect(schemeOf(lying(0.33))).toBeNull()
    expect(schemeOf(lying(0.6))?.group).toBe(other.id)
  })
  it('does not say of a part of the bytes that it is the I/O of the job, or where the job lies', () => {
    const scheme = schemeOf(independentSmall)
    if (!scheme) throw new Error('the fixture has nothing to draw')
    expect(titleOf({ ...scheme, pattern: 'serial', share: 0.33 })).toBe('One rank alone uses this file')
    expect(titleOf({ ...scheme, pattern: 'serial', share: 0.9 })).toBe('One rank does the I/O')
    const part = structuredClone(tunedRun) as CaseDocument
    const [use] = largeJob.charts.osts
    Object.assign(part.charts, { osts: use ? [{ ...use, striped_over: 40, total: 48 }] : [] })
    for (const file of part.files) Object.assign(file, { stripe_count: 4 })
    expect(words(part)).toContain(', on 4 of 48 OSTs.')
    Object.assign(part.charts, { osts: use ? [{ ...use, striped_over: 4, total: 4 }] : [] })
    expect(words(part)).toContain(', on all 4 OSTs.')
    for (const group of part.groups) Object.assign(group, { files: 2 })
    expect(words(part)).not.toContain('OST')
  })
  it('says nothing where nothing tells', () => {
    expect(schemeOf(nothingToDraw)).toBeNull()
    expect(words(lateRanks) ?? '').not.toMatch(/NaN|undefined|null/)
  })
})

it('names a file system as reports and advice do', () => {
  const [one] = tunedRun.charts.file_systems
  if (!one) throw new Error('no file system')
  expect(systemWords({ ...one, kind: 'weka', title: null })).toBe('WEKA')
  expect(systemWords({ ...one, kind: 'unknown', title: null })).toBe('kind not recorded')
})

describe('terms in a sentence', () => {
  it('explains each once, the longer before the shorter', () => {
    const found = termsIn('Few effective aggregators: an aggregator, aggregators, and data sieving.')
    expect(found.flatMap((piece) => (piece.term ? [[piece.text, piece.term.id]] : []))).toEqual([
      ['effective aggregators', 'effective-aggregators'],
      ['aggregator', 'aggregator'],
      ['data sieving', 'data-sieving'],
    ])
    expect(found.map((piece) => piece.text).join('')).toBe(
      'Few effective aggregators: an aggregator, aggregators, and data sieving.',
    )
  })
  it('leaves parts of names and paths alone', () => {
    expect(termsIn('cb-collective /lus/stripe.h5 ssf-stripe-size')).toHaveLength(1)
  })
})
