import { act, fireEvent, render, screen, within } from '@testing-library/react'
import { range } from 'd3-array'
import { describe, expect, it, vi } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import { evaluate } from '../analysis/evaluate'
import { boundOfIoTime } from '../analysis/slowest'
import {
  idleAggregators,
  independentSmall,
  largeJob,
  manySmallFiles,
  oneStripe,
  recordOverflow,
  sievingWrites,
  slowOst,
  tunedRun,
} from '../fixtures/documents'
import { textOf } from '../test/text'
import { CHARTS } from './all'
import { LinkedProvider } from './frame/linked'
import { targetTicks } from './OstUse'

const draw = (id: string, document: CaseDocument) => {
  const chart = CHARTS.find((c) => c.id === id)
  if (!chart) throw new Error(`No chart ${id}`)
  const { container } = render(
    <LinkedProvider>
      <chart.Drawing document={document} />
    </LinkedProvider>,
  )
  return container
}
const REDUCED = {
  layer: 'MPI-IO' as const,
  file: '/lus/out.0001',
  ranks: null,
  total_bytes: 100,
  slowest_rank: 7,
  slowest_s: 12,
  slowest_bytes: 10,
  fastest_rank: 3,
  fastest_s: 4,
  fastest_bytes: 10,
  deviation_bytes: 0,
  deviation_s: 2,
}
/** Thin spaces read as spaces. */
const withCharts = (charts: Partial<CaseDocument['charts']>): CaseDocument => ({
  ...largeJob,
  charts: { ...largeJob.charts, ...charts },
})

describe('ranks', () => {
  it('names the slowest rank and the one that stores everything', () => {
    const container = draw('rank-use', largeJob)
    expect(textOf(container)).toContain(
      'At MPI-IO, all 256 ranks move bytes, about 560 MiB each. At POSIX, rank 0 alone moves all 140 GiB.',
    )
    expect(textOf(container)).toMatch(
      /Rank 212, the slowest of the job, takes [\d.]+ s in (MPI-IO|POSIX) reads and writes, [\d.]+ times the mean\./,
    )
  })
  it('draws the two ends of a reduced record and says that the others are not known', () => {
    const container = draw(
      'rank-use',
      withCharts({ ranks: { nprocs: 256, series: [], reduced: [REDUCED], reduced_total: 3 } }),
    )
    expect(textOf(container)).toContain(
      'Of out.0001, rank 7 is the slowest: 12.0 s, against 4.00 s of rank 3, the fastest. The ranks between are not recorded. 2 more files like it.',
    )
    expect(textOf(container)).not.toContain("Each rank's own figures")
    expect(container.querySelectorAll('circle')).toHaveLength(2)
  })
  it('draws the files where ranks are told apart in a trifle of the bytes alone', () => {
    const ranks = largeJob.charts.ranks
    const [series] = ranks?.series ?? []
    if (!ranks || !series?.slowest) throw new Error('The fixture has no ranks')
    const busy = { ...series.busiest, rank: 0, write_s: 40 }
    const log = {
      ...series,
      layer: 'STDIO' as const,
      basis: 'records' as const,
      movers: 1,
      total_bytes: 3_000,
    }
    const reduced = [{ ...REDUCED, slowest_s: 80 }]
    const drawn = (write_s: number) => {
      const told = { ...log, busiest: busy, slowest: { ...busy, write_s } }
      return draw('rank-use', withCharts({ ranks: { ...ranks, series: [told], reduced, reduced_total: 1 } }))
    }
    expect(textOf(drawn(40))).toContain(
      'The ranks between are not recorded. Rank 0 takes longest in STDIO calls: 40.0 s.',
    )
    const short = drawn(0.04)
    expect(textOf(short)).toContain("Each rank's own figures are recorded of < 0.01 % of the bytes")
    expect(textOf(short)).not.toContain('takes longest in STDIO')
    expect(short.querySelectorAll('circle')).toHaveLength(2)
  })
  it('tells of a collective file who calls, and below who touches the storage', () => {
    const ends = (layer: 'MPI-IO' | 'POSIX', slowest_s: number, fastest_s: number) => ({
      layer,
      file: '/lus/out',
      ranks: layer === 'POSIX' ? 16 : null,
      total_bytes: 100,
      slowest_rank: layer === 'POSIX' ? 64 : 0,
      slowest_s,
      slowest_bytes: 10,
      fastest_rank: 1,
      fastest_s,
      fastest_bytes: 0,
      deviation_bytes: 0,
      deviation_s: 2,
    })
    const reduced = [ends('MPI-IO', 531, 530), ends('POSIX', 520, 0.05)]
    const container = draw(
      'rank-use',
      withCharts({ ranks: { nprocs: 256, series: [], reduced, reduced_total: 1 } }),
    )
    expect(textOf(container)).toContain(
      'Of out, at MPI-IO the ranks take about the same time: rank 0, the longest, 8 min 51 s; at POSIX rank 64 takes longest of 16 ranks: 8 min 40 s, against 50.0 ms of rank 1, the fastest.',
    )
    expect(container.querySelectorAll('circle')).toHaveLength(4)
  })
  it('gives each rank of a small job its own column', () => {
    const container = draw('rank-use', manySmallFiles)
    expect(textOf(container)).toContain('rank 7: ')
    expect(textOf(container)).toContain('records of every rank')
    expect(textOf(container)).toMatch(
      /All take about the same time in POSIX calls: rank 4, the longest, [\d.]+ s\./,
    )
    const said = textOf(container)
    expect(said).toContain('Bytes upward, seconds in calls downward.')
    expect(said).not.toContain('the slowest')
  })
  it('says what a layer is known from below its name where both have no room on one line', () => {
    const [series] = largeJob.charts.ranks?.series ?? []
    if (!series) throw new Error('the fixture tells ranks apart')
    const traced = { ...series, layer: 'calls' as const, basis: 'craypat' as const }
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(288)
    const container = draw(
      'rank-use',
      withCharts({ ranks: { nprocs: 256, series: [traced], reduced: [], reduced_total: 0 } }),
    )
    vi.restoreAllMocks()
    const y = (words: string) =>
      Number(
        [...container.querySelectorAll('text')].find((text) => textOf(text) === words)?.getAttribute('y'),
      )
    expect(y('CrayPAT, rows of every rank') - y('the calls that CrayPAT traced')).toBe(14)
  })
  it('does not call a rank slow that takes as long as the fastest', () => {
    const container = draw('rank-use', oneStripe)
    expect(textOf(container)).toMatch(
      /Of plume\.0064\.dat, at MPI-IO the ranks take about the same time: rank 0, the longest, 36 min; at POSIX rank 0 takes longest/,
    )
  })
})

describe('storage targets', () => {
  it('counts those that are used, and names the slowest', () => {
    const container = draw('ost-use', largeJob)
    expect(textOf(container)).toContain('The files lie on 4 of 12 OSTs, some 35.1 GiB each.')
    expect(textOf(container)).toContain(
      'OST 7 is the slowest of 4 compared: a file on it alone moves 114 MiB/s, on the others 362 MiB/s.',
    )
    expect(textOf(container)).toContain('Inferred: no source counts bytes by OST;')
  })
  it('names none the slowest where all are as fast as one another', () => {
    const [use] = largeJob.charts.osts
    if (!use?.slowest) throw new Error('the fixture has no slowest OST')
    const slowest = { ...use.slowest, times_the_others: 1.02, rate: 378_000_000 }
    const alike = draw('ost-use', withCharts({ osts: [{ ...use, slowest }] }))
    expect(textOf(alike)).toContain(
      'None of the 4 OSTs compared is slower than the others: a file on it alone moves 362 MiB/s.',
    )
    expect(textOf(alike)).toContain('Rates by the files of one stripe and one rank')
    expect(textOf(alike)).not.toContain('the slowest')
  })
  it('marks the one that the finding names, until a threshold is moved that clears it', () => {
    expect(textOf(draw('ost-use', slowOst))).toContain('OST 5 is slow: a byte takes 17.2 times as long')
    expect(screen.getByRole('rowheader', { name: 'OST 5, the slowest' })).toBeTruthy()
    const moved = draw('ost-use', evaluate(slowOst, { 'slow-ost.slowness': 50, 'slow-ost.apart': 50 }))
    expect(textOf(moved)).toContain('None of the 12 OSTs compared is slow: on OST 5, the slowest, a file')
    expect(moved.querySelector('svg path')).toBeNull()
  })
  it('says what a trace counts, and by which calls it calls an OST slow', () => {
    const [use] = largeJob.charts.osts
    if (!use?.slowest) throw new Error('The fixture has no slow target')
    const alone = { alone_calls: 64, alone_bytes: 67_108_864, alone_s: 2 }
    const traced = {
      ...use,
      files_traced: 4,
      traced_share: 1,
      osts: use.osts.map((ost) => ({ ...ost, ...alone })),
      slowest: { ...use.slowest, calls: 64 },
    }
    const container = draw('ost-use', withCharts({ osts: [traced] }))
    expect(textOf(container)).toContain('Counted from the trace: each POSIX call, split where a stripe ends.')
    expect(textOf(container)).not.toContain('Inferred')
    expect(textOf(container)).toContain(
      'Slowness by the 64 calls of 64 KiB or more that lie on that OST alone',
    )
    expect(screen.getByRole('columnheader', { name: 'calls on it alone' })).toBeTruthy()
    expect(screen.getAllByRole('cell', { name: /32\.0.MiB.s/ })).toHaveLength(4)
    const some = draw('ost-use', withCharts({ osts: [{ ...traced, files_traced: 1, traced_share: 0.25 }] }))
    expect(textOf(some)).toContain('Of 4 files 1, with 25 % of the bytes, are counted from the trace')
  })
  it('names targets at round numbers, whether the job uses those or not', () => {
    const words = (of: Parameters<typeof targetTicks>[0], band: number) =>
      targetTicks(of, band).map((tick) => tick.words)
    expect(words(248, 4.2)).toEqual(['0', '10', '20'].concat(range(30, 248, 10).map(String)))
    expect(words(12, 40)).toEqual(range(12).map(String))
    expect(words([{ ost: 7 }, { ost: 1013 }], 40)).toEqual(['7', '1013'])
    const many = range(2000).map((ost) => ({ ost }))
    expect(words(many, 0.5)).toEqual(range(0, 2000, 100).map(String))
    const [use] = largeJob.charts.osts
    if (!use) throw new Error('The fixture has no targets')
    const odd = use.osts.map((ost, i) => ({ ...ost, ost: 31 * i + 3 }))
    const container = draw(
      'ost-use',
      withCharts({ osts: [{ ...use, total: 248, osts: odd, slowest: null }] }),
    )
    expect(textOf(container.querySelector('svg'))).toMatch(/0.*20.*40.*240/)
  })
  it('says which target has most of the seconds, where its rate does not', () => {
    const [use] = slowOst.charts.osts
    const [first] = use?.osts ?? []
    if (!use || !first) throw new Error('The fixture has no targets')
    const seconds = (one: number) => use.osts.map((ost, i) => ({ ...ost, seconds: i === 0 ? one : 1 }))
    const said = (one: number) =>
      textOf(
        draw('ost-use', {
          ...slowOst,
          findings: [],
          charts: { ...slowOst.charts, osts: [{ ...use, osts: seconds(one) }] },
        }),
      )
    expect(said(3600)).toContain(`OST ${first.ost} has 1 h of the 1 h `)
    expect(said(1)).not.toContain('of all ranks.')
  })
  it('names the files of a target as every chart does, each group once', () => {
    const { files, groups } = slowOst
    const [use] = slowOst.charts.osts
    const one = files[0]
    if (!use || !one) throw new Error('The fixture has no targets')
    const [group] = groups.filter(({ id }) => id === one.group)
    const many = {
      ...slowOst,
      groups: [
        { ...one, ...group, id: one.group, label: '3 files such as 3981085427 (names obfuscated)', files: 3 },
        { ...group, id: 'g9', label: 'x', files: 1 },
      ] as CaseDocument['groups'],
      charts: {
        ...slowOst.charts,
        osts: [{ ...use, osts: use.osts.map((ost) => ({ ...ost, named: [one.path] })) }],
      },
    }
    const chips = within(draw('ost-use', many)).getAllByRole('button', { name: /3981085427/ })
    expect(chips.map(textOf)).toEqual(['3 files such as 3981085427'])
  })
  it('says so where one holds everything and the number of targets is not known', () => {
    const [use] = largeJob.charts.osts
    if (!use) throw new Error('The fixture has no targets')
    const only = { ...use, total: null, striped_over: 1, osts: use.osts.slice(1, 2), slowest: null }
    const container = draw('ost-use', withCharts({ osts: [only] }))
    expect(textOf(container)).toContain('The files lie on 1 OST: OST 6 holds all 35.0 GiB.')
    expect(textOf(container)).toContain('How many OSTs the file system has is not recorded.')
  })
})

describe('time', () => {
  it('keeps the slowest rank whole where its parts are not recorded, and divides the mean', () => {
    const container = draw('time-use', largeJob)
    expect(textOf(container)).toContain(
      "All ranks spend about the same time in I/O: rank 212, the longest, 24 min 42 s, 20 % of the run. Of the mean rank's 24 min 28 s, 72 % pass in MPI-IO beyond the calls to storage.",
    )
    expect(textOf(container)).toContain('24 min 42 s, its parts are not recorded')
  })
  it('calls a rank slow where it is, and by its name without a comma', () => {
    const slowest = { rank: 1024, least_s: 2400, most_s: 2400, cells: null }
    const one = { ...largeJob, account: largeJob.account && { ...largeJob.account, slowest } }
    expect(textOf(draw('time-use', one))).toContain('Rank 1024 is the slowest and spends 40 min in I/O')
  })
  it('calls no rank slow that takes as long as the mean, wherever in an interval its time lies', () => {
    const slowest = { rank: 0, least_s: 1460, most_s: 1500, cells: null }
    const one = { ...largeJob, account: largeJob.account && { ...largeJob.account, slowest } }
    const said =
      'All ranks spend about the same time in I/O: rank 0, the longest, 24 min 20 s to 25 min, up to'
    expect(textOf(draw('time-use', one))).toContain(said)
  })
  it('has no slowest rank of one', () => {
    const nprocs = { ...largeJob.metrics['job.nprocs'], value: 1 } as CaseDocument['metrics'][string]
    const alone = { ...largeJob, metrics: { ...largeJob.metrics, 'job.nprocs': nprocs } }
    const said = textOf(draw('time-use', alone))
    expect(said).toContain('The one rank spends 24 min 42 s in I/O')
    expect(said).toContain('Of its 24 min 28 s, 72 % pass in MPI-IO')
    expect(said).toContain('the only one')
    expect(said).not.toContain('mean')
    const account = oneStripe.account && { ...oneStripe.account, slowest: null, slowest_reason: 'why' }
    const metrics = { ...oneStripe.metrics, 'job.nprocs': nprocs }
    const untold = textOf(draw('time-use', { ...oneStripe, metrics, account }))
    expect(untold).toContain('The one rank spends 36 min in I/O')
    expect(untold).toContain('Each second is given to one finding, to causes first.')
    expect(untold).not.toMatch(/on average|mean|slowest/)
  })
  it('ends with I/O that would be a hair of the run, and says when the run does', () => {
    const account = largeJob.account && { ...largeJob.account, runtime_s: 400_000 }
    const container = draw('time-use', { ...largeJob, account })
    expect(textOf(container)).toContain('the run goes on, to 111 h 7 min →')
    expect(textOf(container)).toContain('grey is the rest of the run, most of which is beyond the axis.')
    const bars = [...container.querySelectorAll('rect')].map((bar) => Number(bar.getAttribute('width')))
    expect(Math.max(...bars)).toBeGreaterThan(300)
    expect(textOf(draw('time-use', largeJob))).not.toContain('goes on')
  })
  it('is not drawn of times that are longer than the run, which have no account', () => {
    const chart = CHARTS.find(({ id }) => id === 'time-use')
    expect(chart?.missing(largeJob)).toBeNull()
    const [finding] = largeJob.findings
    if (!finding) throw new Error('the fixture has no finding')
    const impossible = { ...finding, rule: 'impossible-times', verdict: 'triggered' as const }
    const without = { ...largeJob, account: null }
    expect(chart?.missing({ ...without, findings: [impossible] })?.missing).toContain('longer than the run')
    expect(chart?.missing(without)?.missing).toContain('No source has the times')
  })
  it('draws the account of MPICH_MPIIO_TIMERS, which knows no slowest rank', () => {
    const { account } = largeJob
    if (!account) throw new Error('the fixture has no account')
    const timers = {
      ...account,
      basis: 'MPICH_MPIIO_TIMERS' as const,
      cells: { ...account.cells, reads: 0, imbalance: 0 },
      slowest: null,
      slowest_reason: 'MPICH_MPIIO_TIMERS has means over the ranks',
      unknown: [
        { cell: 'reads' as const, reason: 'MPICH_MPIIO_TIMERS has no block of a file that was read' },
      ],
    }
    const container = draw('time-use', { ...largeJob, account: timers })
    expect(textOf(container)).toContain('A rank spends 24 min 26 s in I/O on average, 20 % of the run')
    expect(textOf(container)).toContain(
      'Not known of reads: MPICH_MPIIO_TIMERS has no block of a file that was read.',
    )
    expect(textOf(container)).toContain(
      'The slowest rank is missing: MPICH_MPIIO_TIMERS has means over the ranks.',
    )
  })
  it('says of missing records at least what the metric has, everywhere', () => {
    const container = draw('time-use', recordOverflow)
    const spent = (recordOverflow.metrics['job.io_time']?.value ?? 0) as number
    const said = `at least ${spent.toPrecision(3)} s`
    expect(textOf(container)).toContain(`Rank 0 is the slowest and spends ${said} in I/O, at least`)
    expect(textOf(container.querySelector('table'))).toContain(said)
    expect(boundOfIoTime(recordOverflow)).toBe('at least')
  })
  it('says both ends of an interval, and of the run the most', () => {
    expect(textOf(draw('time-use', tunedRun))).toContain(
      'The slowest rank spends 0.59 s to 0.68 s in I/O, up to 45 % of the run.',
    )
    expect(boundOfIoTime(tunedRun)).toBe('at most')
    expect(boundOfIoTime(largeJob)).toBeNull()
  })
  it('says why the time of the exchange is missing', () => {
    expect(textOf(draw('time-use', manySmallFiles))).toContain(
      'Not known of MPI-IO beyond the calls to storage: the program did not use MPI-IO.',
    )
  })
})

describe('aggregators by rank', () => {
  it('says how many bytes each moves, on how many nodes', () => {
    expect(textOf(draw('aggregating', largeJob))).toContain(
      '12 of 256 ranks move the bytes of the files of MPI-IO, on 6 nodes, from 10.6 GiB to 12.0 GiB each. The library placed 16 aggregators.',
    )
  })
  it('draws a count where only the variance is known', () => {
    const [view] = largeJob.charts.aggregating
    if (!view) throw new Error('The fixture has no aggregators')
    const container = draw(
      'aggregating',
      withCharts({ aggregating: [{ ...view, basis: 'variance', count: 4, nodes: null, ranks: [] }] }),
    )
    expect(textOf(container)).toContain(
      'About 4 of 256 ranks move the bytes of out.0001, by their variance; which ones is not recorded.',
    )
    expect(container.querySelectorAll('svg rect')).toHaveLength(256)
    expect(textOf(container)).toContain('Squares are a count')
    const many = withCharts({
      aggregating: [{ ...view, basis: 'variance', count: 4, nprocs: 2048, nodes: null, ranks: [] }],
    })
    expect(textOf(draw('aggregating', many))).not.toContain('Squares')
    const one = withCharts({
      aggregating: [{ ...view, basis: 'variance', count: 1.00002, nodes: null, ranks: [] }],
    })
    expect(textOf(draw('aggregating', one))).toContain(
      '1 of 256 ranks moves the bytes of out.0001, by their variance',
    )
    expect(textOf(draw('aggregating', one))).not.toContain('About 1')
  })
  it('has the colour of independent calls where there are no others', () => {
    const split = {
      direction: 'write' as const,
      collective: 0,
      independent: 9,
      nonblocking: 0,
      source: 'Darshan' as const,
    }
    const colours = (collective: CaseDocument['charts']['collective']) =>
      ['collective', 'independent'].filter((name) =>
        draw('aggregating', withCharts({ collective })).querySelector(`svg .${name}`),
      )
    const none = { total_bytes: null, independent_least: null, independent_most: null }
    expect(colours([{ ...split, ...none }])).toEqual(['independent'])
    expect(colours([{ ...split, ...none, collective: 1 }])).toEqual(['collective'])
  })
  it('bounds how many of them work in a call', () => {
    expect(textOf(draw('aggregator-activity', idleAggregators))).toContain(
      'of them work: bounds, since the bins are ranges.',
    )
  })
})

describe('aggregators that work in a call', () => {
  const chart = CHARTS.find(({ id }) => id === 'aggregator-activity')
  const without = { ...largeJob, charts: { ...largeJob.charts, aggregators: [] } }
  it('does not say that no statistics were given where they are of reads alone', () => {
    const [source] = largeJob.sources
    if (!source) throw new Error('the fixture has no source')
    const ofReads = { ...without, sources: [{ ...source, kind: 'mpich_stats' }] }
    expect(chart?.missing(ofReads)?.missing).toContain('The statistics given say it of no write')
    expect(chart?.missing(ofReads)?.needs.lines).toBeUndefined()
  })
  it('says so where none were given', () => {
    const ofLog = { ...without, sources: without.sources.filter(({ kind }) => kind !== 'mpich_stats') }
    expect(chart?.missing(ofLog)?.missing).toContain('No statistics of the MPI library were given')
  })
})

describe('accesses', () => {
  it('says how they follow one another and what Darshan held them against', () => {
    const container = draw('access-order', largeJob)
    expect(textOf(container)).toContain(
      'At POSIX, 98 % of the 143,384 writes follow one another without a gap; 61 % of the 512 reads begin a file or go back. 1.5 % do not begin on a multiple of 1 MiB.',
    )
    expect(textOf(container)).toContain('not with the stripe size of 4 MiB')
  })
})

describe('growth below MPI-IO', () => {
  it('says where the read-modify-write comes from', () => {
    expect(textOf(draw('layer-stack', sievingWrites))).toMatch(
      /Below MPI-IO, 52\.6 MiB are read that no call asked for, and [\d.]+ MiB written .*: read-modify-write, in cells\.dat\./,
    )
  })
  it('is silent where bytes pass as they are', () => {
    expect(textOf(draw('layer-stack', tunedRun))).not.toContain('read-modify-write')
  })
})

describe('bytes of collective and independent calls', () => {
  it('needs no bounds where all calls are of one kind', () => {
    expect(textOf(draw('collective-split', independentSmall))).toContain('of 7.63 MiB, all independent')
  })
})

describe('what charts have in common', () => {
  it('lets marks of other ranks fade while the name of one has the focus', () => {
    const container = draw('aggregating', largeJob)
    const faded = () => container.querySelectorAll('[class*="faded"]').length
    expect(faded()).toBe(0)
    const name = screen.getByRole('button', { name: 'rank 16' })
    act(() => name.focus())
    expect(faded()).toBe(11)
    act(() => name.blur())
    expect(faded()).toBe(0)
  })
})

describe('a chart to take away', () => {
  it('is an SVG that needs no style sheet, with its words', async () => {
    const saved: Blob[] = []
    vi.stubGlobal(
      'URL',
      Object.assign(URL, {
        createObjectURL: (blob: Blob) => {
          saved.push(blob)
          return 'blob:x'
        },
        revokeObjectURL: () => {},
      }),
    )
    draw('ost-use', largeJob)
    fireEvent.click(screen.getByRole('button', { name: 'Save the chart as SVG' }))
    await vi.waitFor(() => expect(saved).toHaveLength(1), { timeout: 20_000 })
    const svg = (await saved[0]?.text()) ?? ''
    expect(svg).toContain('xmlns="http://www.w3.org/2000/svg"')
    expect(svg).toContain('Which storage targets hold the files, and how much each?')
    expect(svg).not.toMatch(/ class=| style=/)
  })
})
