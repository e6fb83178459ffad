import { describe, expect, it } from 'vitest'
import vectors from '../../../backend/tests/vectors/decisions.json'
import type { Cells, Claim, Impact, Investigations, Metric, StoredDocument, Unexplained } from '../api/types'
import { allotSeconds, basisOf, savingOf } from './allotment'
import type { Finding } from './caseDocument'
import { decide } from './evaluate'
import { unexplainedOf } from './unexplained'

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

interface Meant {
  name: string
  cells: Partial<Cells>
  of_cells: Investigations['of_cells']
  metrics?: Record<string, number | null>
  thresholds?: Record<string, number>
  triggered: string[]
  meant: string | null
  kind: Unexplained['kind']
  rates: number
}

/** The file that both the page and the server are held to. */
const { empty_document, allotments, savings, investigations } = vectors as {
  empty_document: StoredDocument
  allotments: Allotment[]
  savings: Saving[]
  investigations: Meant[]
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

const NO_CELLS: Cells = {
  reads: 0,
  writes: 0,
  metadata: 0,
  exchange: 0,
  streams: 0,
  library: 0,
  imbalance: 0,
  not_split: 0,
}

const accountOf = (cells: Cells, groups: Record<string, Cells> = {}) => ({
  basis: 'Darshan' as const,
  runtime_s: null,
  cells,
  groups,
  slowest: null,
  partial: false,
  unknown: [],
  slowest_reason: null,
})

const triggeredOf = (rule: string) =>
  ({ rule, verdict: 'triggered', scope: { kind: 'job', id: 'job' }, claims: [] }) as unknown as Finding

describe('what would tell where unexplained seconds go', () => {
  it.each(investigations)('$name', ({ cells, of_cells, triggered, meant, kind, rates, ...asks }) => {
    const account = accountOf({ ...NO_CELLS, ...cells })
    const asked = {
      of_cells,
      otherwise: {
        sentence: 'trace one run',
        command: null,
        kind: 'run',
        least_s: 0,
        if_hold: [],
        replied: null,
        when: { kind: 'all_of', of: [] },
      },
      rates: [{ of: 'node', count: 2, bytes_per_s: 1e6 }],
    } satisfies Investigations
    const inForce = Object.entries(asks.thresholds ?? {}).map(([id, value]) => [id, { value }])
    const basis = basisOf(
      { account, metrics: metricsOf(asks.metrics), groups: [] },
      Object.fromEntries(inForce),
    )
    const found = unexplainedOf(triggered.map(triggeredOf), basis, true, asked)
    expect(found).toMatchObject({ experiment: meant, kind })
    expect(found?.rates).toHaveLength(rates)
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
    const account = accountOf(cells, groups)
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
