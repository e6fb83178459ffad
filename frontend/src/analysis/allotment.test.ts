import { describe, expect, it } from 'vitest'
import vectors from '../../../backend/tests/vectors/decisions.json'
import type { Cells, Claim, Impact, Metric, StoredDocument } from '../api/types'
import { allotSeconds, basisOf, savingOf } from './allotment'
import type { Finding } from './caseDocument'
import { decide } from './evaluate'
import { experimentOf, unexplainedOf } from './unexplained'

interface Allotment {
  name: string
  cells: Cells
  groups: Record<string, Cells>
  claims: Record<string, Claim[]>
  findings: { rule: string; scope: string; priority: number; explained_by: string | null }[]
  metrics: Record<string, Record<string, number | string | null>>
  takes: [rule: string, scope: string, seconds: number][]
  reaches: [rule: string, scope: string, seconds: number][]
  left: Cells
}

interface Saving {
  name: string
  impact: Impact
  takes: number
  reaches: number
  io: number
  runtime: number | null
  saves: [least: number, most: number] | null
}

interface Experiment {
  name: string
  cell: Parameters<typeof experimentOf>[0]
  seconds: number
  metrics: Record<string, number | string | null>
  source: Parameters<typeof experimentOf>[3]
  begins: string
  command: string | null
}

/** The file that both the page and the server are held to. */
const { empty_document, allotments, savings, experiments } = vectors as unknown as {
  empty_document: StoredDocument
  allotments: Allotment[]
  savings: Saving[]
  experiments: Experiment[]
}

const metricsOf = (values: Record<string, number | string | null> = {}): Record<string, Metric> =>
  Object.fromEntries(
    Object.entries(values).map(([id, value]) => [
      id,
      {
        id,
        title: id,
        unit: '1',
        value,
        bound: null,
        confidence: null,
        reason: null,
        settled_by: [],
        where: [],
      },
    ]),
  )

describe('what would tell where unexplained seconds go', () => {
  it.each(experiments)('$name', ({ cell, metrics, seconds, source, begins, command }) => {
    const [words, line] = experimentOf(cell, metricsOf(metrics), seconds, source)
    expect(words.slice(0, begins.length)).toBe(begins)
    expect(line).toBe(command)
  })
})

describe('what is left beside later outputs that were slow', () => {
  const NONE = { reads: 0, writes: 0, metadata: 0, streams: 0, library: 0, imbalance: 0, not_split: 0 }
  const account = {
    basis: 'Darshan' as const,
    runtime_s: null,
    cells: { ...NONE, exchange: 600 },
    groups: {},
    slowest: null,
    partial: false,
    unknown: [],
    slowest_reason: null,
  }
  const metrics = metricsOf({ 'mpiio.to_posix_time': 1.1 })
  const basis = basisOf({ account, metrics, groups: [] }, {})
  const slower = {
    rule: 'slower-and-slower',
    verdict: 'triggered',
    scope: { kind: 'group', id: 'g0' },
    claims: [],
  } as unknown as Finding

  it.each([
    [[], 'run once with twice as many of these ranks'],
    [[slower], 'find first what slows the later outputs'],
  ])('asks for other ranks only where the first were not fast', (findings, words) => {
    expect(unexplainedOf(findings, basis, true)?.experiment).toContain(words)
  })
})

describe('seconds that a cure could save', () => {
  it.each(savings)('$name', ({ impact, takes, reaches, io, runtime, saves }) => {
    const bounds = savingOf(impact, takes, reaches, io, runtime)
    expect(bounds === null).toBe(saves === null)
    saves?.forEach((seconds, i) => {
      expect(bounds?.[i]).toBeCloseTo(seconds, 9)
    })
  })
})

describe('seconds given to findings', () => {
  it.each(allotments)('$name', ({ cells, groups, claims, findings, metrics, takes, reaches, left }) => {
    const document = decide(empty_document)
    const account = {
      basis: 'Darshan' as const,
      runtime_s: null,
      cells,
      groups,
      slowest: null,
      partial: false,
      unknown: [],
      slowest_reason: null,
    }
    const basis = {
      ...basisOf({ account, metrics: metricsOf(metrics.job), groups: document.groups }, {}),
      scopes: new Map(Object.entries(metrics).map(([scope, values]) => [scope, metricsOf(values)])),
    }
    const asked = findings.map(
      ({ scope, ...rest }) =>
        ({
          ...rest,
          verdict: 'triggered',
          scope: { kind: scope === 'job' ? 'job' : 'group', id: scope },
          claims: claims[rest.rule] ?? [],
        }) as unknown as Finding,
    )
    for (const given of [asked, [...asked].reverse()]) {
      const found = allotSeconds(given, basis)
      const seconds = [...(found?.takes ?? [])].map(([of, took]) => [of.rule, of.scope.id, took])
      expect(seconds.sort()).toEqual([...takes].sort())
      const reached = [...(found?.reaches ?? [])].map(([of, all]) => [of.rule, of.scope.id, all])
      expect(reached.sort()).toEqual([...reaches].sort())
      expect(found?.left).toEqual(left)
    }
  })
})
