import { expect, it } from 'vitest'
import { everyKind, manySmallFiles, oneStripe, recordOverflow, tunedRun } from '../../fixtures/documents'
import { boundsOf, rowsOf } from './BulletTable'

it('shows a comparison once that several alternatives hold, and as one that decides where it does in any', () => {
  const finding = oneStripe.findings.find(({ rule }) => rule === 'single-aggregator')
  if (!finding) throw new Error('the fixture has no such finding')
  const once = rowsOf(finding)
  const condition = { kind: 'any_of', answer: true, of: [finding.condition, finding.condition] } as const
  expect(rowsOf({ ...finding, condition })).toEqual(once)
  const told = once
    .filter(({ role }) => role === 'condition')
    .map(({ leaf }) => `${leaf.metric} ${leaf.kind === 'compare' ? leaf.threshold_id : ''}`)
  expect(new Set(told).size).toBe(told.length)
  expect(once.some(({ decides, role }) => decides && role === 'condition')).toBe(true)
})

it('says of a figure that it is the least or the most that it can be', () => {
  const said = (document: typeof tunedRun, metric: string, of: 'job' | 'group') => {
    const rows = document.findings.flatMap((finding) =>
      rowsOf(finding).map(({ leaf }) => ({ leaf, finding })),
    )
    const row = rows.find(
      ({ leaf, finding }) => leaf.metric === metric && leaf.kind === 'compare' && finding.scope.kind === of,
    )
    return row && boundsOf(row.leaf, row.finding, document)
  }
  expect(said(tunedRun, 'job.io_time_fraction', 'job')).toEqual(['at most ', ''])
  expect(said(tunedRun, 'io.bandwidth', 'job')).toEqual(['at least ', ''])
  // Files have no share of the run's time of their own: theirs is the job's.
  expect(said(tunedRun, 'job.io_time_fraction', 'group')).toEqual(['at most ', ''])
  // Those that have a rate of their own have it by their own time.
  expect(said(tunedRun, 'io.bandwidth', 'group')).toEqual(['', ''])
  expect(said(oneStripe, 'job.io_time_fraction', 'job')).toEqual(['', ''])
  expect(said(recordOverflow, 'posix.data_opens_and_stats', 'job')).toEqual(['at least ', ''])
})

it('says a figure once, whether it is required, asked for again, or merely there', () => {
  const twice = [everyKind, manySmallFiles, oneStripe, recordOverflow, tunedRun].flatMap((document) =>
    document.findings.flatMap((finding) => {
      if (!('condition' in finding)) return []
      const rows = rowsOf(finding).filter(({ decides }) => decides)
      const compared = rows.filter(({ leaf }) => leaf.kind === 'compare')
      const names = compared.map(({ leaf }) =>
        'threshold_id' in leaf ? `${leaf.metric} ${leaf.operator} ${leaf.threshold_id}` : leaf.metric,
      )
      const there = rows.filter(
        ({ leaf }) => leaf.kind === 'present' && compared.some((other) => other.leaf.metric === leaf.metric),
      )
      return [
        ...names.filter((name, i) => names.indexOf(name) !== i),
        ...there.map(({ leaf }) => `${finding.rule}: ${leaf.metric} is there`),
      ]
    }),
  )
  expect(twice).toEqual([])
})

const decidingOf = (document: typeof tunedRun) =>
  document.findings
    .filter((finding) => 'condition' in finding && finding.reason === null)
    .map((finding) => rowsOf(finding).filter(({ decides }) => decides))

it('folds away what follows from another row', () => {
  const rule = tunedRun.findings.find(({ rule }) => rule === 'io-not-the-bottleneck') ?? tunedRun.findings[0]
  if (!rule) throw new Error('the fixture has no finding')
  const leaf = (threshold: number, answer = true) => ({
    ...leafOf(tunedRun),
    threshold,
    threshold_id: `t${threshold}`,
    operator: '>=' as const,
    answer,
  })
  const rows = (
    condition: readonly ReturnType<typeof leaf>[],
    requires: readonly ReturnType<typeof leaf>[],
  ) =>
    rowsOf({
      ...rule,
      reason: null,
      supports: [],
      significance: null,
      condition: { kind: 'all_of', answer: condition[0]?.answer ?? true, of: condition },
      requires: { kind: 'all_of', answer: true, of: requires },
    } as typeof rule)
      .filter(({ decides }) => decides)
      .map((row) => [row.role, row.leaf.kind === 'compare' && row.leaf.threshold])
  expect(rows([leaf(512)], [leaf(16)])).toEqual([['condition', 512]])
  expect(rows([leaf(16)], [leaf(512)])).toEqual([
    ['condition', 16],
    ['requirement', 512],
  ])
  expect(rows([leaf(3), leaf(1)], [])).toEqual([['condition', 3]])
  expect(rows([leaf(3, false), leaf(1, false)], [])).toEqual([['condition', 1]])
})

const leafOf = (document: typeof tunedRun) => {
  const leaf = document.findings.flatMap(rowsOf).find((row) => row.leaf.kind === 'compare')?.leaf
  if (leaf?.kind !== 'compare') throw new Error('the fixture compares nothing')
  return leaf
}

it('tells a quantity once in each direction', () => {
  for (const document of [everyKind, manySmallFiles, oneStripe, recordOverflow, tunedRun]) {
    for (const rows of decidingOf(document)) {
      const told = rows.flatMap(({ leaf, role }) =>
        leaf.kind === 'compare' && leaf.answer !== null
          ? [`${role}: ${leaf.metric} ${leaf.operator[0]} ${leaf.answer}`]
          : [],
      )
      expect(told.filter((one, i) => told.indexOf(one) !== i)).toEqual([])
    }
  }
})
