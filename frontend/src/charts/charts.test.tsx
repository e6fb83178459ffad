import { createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import {
  DARSHAN_FIXTURES,
  idleAggregators,
  independentSmall,
  LUSTRE_FIXTURES,
  largeJob,
  lateRanks,
  MPICH_FIXTURES,
  manySmallFiles,
  nothingToDraw,
  oneAggregatorStats,
  tunedRun,
} from '../fixtures/documents'
import { textOf } from '../test/text'
import { ranges } from './AggregatorActivity'
import { CHARTS } from './all'
import Charts, { ChartGrid } from './frame/Charts'
import { PlainTable } from './frame/PlainTable'
import { textWidth } from './frame/text'
import { movesInWords } from './frame/words/movesInWords'

const draw = (id: string, document: CaseDocument) => {
  const chart = CHARTS.find((c) => c.id === id)
  if (!chart) throw new Error(`No chart ${id}`)
  return render(<chart.Drawing document={document} />)
}
const drawAll = (document: CaseDocument) =>
  render(
    <RouterContextProvider router={createRouter({ routeTree: createRootRoute() })}>
      <ChartGrid document={document} />
    </RouterContextProvider>,
  )
describe('every chart', () => {
  const documents = [...DARSHAN_FIXTURES, ...LUSTRE_FIXTURES, ...MPICH_FIXTURES]
  const cases = CHARTS.flatMap((chart) =>
    documents.flatMap(([name, document]) =>
      chart.missing(document) === null ? [[chart.id, name, document] as const] : [],
    ),
  )
  it('has an id and a place of its own', () => {
    expect(new Set(CHARTS.map((chart) => chart.id)).size).toBe(CHARTS.length)
    expect(new Set(CHARTS.map((chart) => chart.order)).size).toBe(CHARTS.length)
  })

  it.each(cases)('%s says what is to be seen in %s', (id, _, document) => {
    const { container } = draw(id, document)
    const figure = screen.getByRole('figure')
    expect(within(figure).getByRole('heading').textContent).toMatch(/\?$/)
    expect(textOf(container)).not.toMatch(/NaN|undefined|null|Infinity/)
    for (const mark of container.querySelectorAll('rect, line, path, text')) {
      for (const name of ['x', 'y', 'width', 'height', 'd', 'x1', 'x2']) {
        expect(mark.getAttribute(name) ?? '', `${name} of ${mark.tagName}`).not.toMatch(
          /NaN|Infinity|^-.*width/,
        )
      }
      expect(Number(mark.getAttribute('width') ?? 0)).toBeGreaterThanOrEqual(0)
    }
  })

  it.each([
    ['layers', 'Who moves the bytes, and where does the time go, between the call and the disk?'],
    ['order', 'Do the accesses follow one another, and begin on blocks?'],
  ] as const)('of damaged %s only what is drawn from it is lost', (part, question) => {
    // React writes to the console what a boundary catches.
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { unmount } = drawAll(independentSmall)
    const whole = screen.getAllByRole('figure').length
    unmount()
    const damaged = { ...independentSmall.charts, [part]: [null] }
    drawAll({ ...independentSmall, charts: damaged })
    const lost = screen.getAllByRole('alert').map(textOf)
    expect(lost.join()).toContain(`“${question}” could not be drawn.`)
    expect(lost.length).toBeLessThan(3)
    expect(screen.getAllByRole('figure')).toHaveLength(whole - lost.length)
  })

  it('offers nothing that the same run again would not leave behind', () => {
    const wanted = ['MPICH_MPIIO_STATS', 'MPICH_MPIIO_TIMERS', 'MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY']
    render(<ChartGrid document={{ ...nothingToDraw, cannot_show: wanted }} />)
    const list = screen.getByRole('group', { name: /charts need other evidence$/ })
    expect(textOf(list).match(/has nothing of the kind/g)).toHaveLength(1)
    expect(textOf(list)).toContain('How many aggregators work in a collective call?')
    expect(textOf(list)).not.toContain('export MPICH')
    expect(textOf(list)).toContain('export DXT_ENABLE_IO_TRACE=1')
  })
  it('asks for no log of a job where there is none, but the result of a benchmark', () => {
    const [text] = oneAggregatorStats.texts
    const run = { ...text, part: { ...text?.part, kind: 'benchmark_run' } } as CaseDocument['texts'][number]
    const { container } = render(<Charts document={{ ...nothingToDraw, texts: [run] }} />)
    expect(container).toBeEmptyDOMElement()
  })
  it('asks for the evidence that would draw it, once for all that need the same', () => {
    render(<ChartGrid document={nothingToDraw} />)
    expect(screen.queryByRole('figure')).toBeNull()
    const list = screen.getByRole('group', { name: /charts need other evidence$/ })
    for (const { question } of CHARTS) expect(textOf(list)).toContain(question)
    expect(screen.getAllByText('A Darshan log')).toHaveLength(1)
    expect(list.querySelectorAll('code')).toHaveLength(1)
    const lines = (list.querySelector('code')?.textContent ?? '').split('\n')
    expect(lines).toContain('export MPICH_MPIIO_STATS=1')
    expect(new Set(lines).size).toBe(lines.length)
  })

  it.each(CHARTS)('$id is drawn of some fixture, and has its data as a table', ({ id, missing }) => {
    const [drawn] = [largeJob, ...documents.map(([, document]) => document)].filter(
      (document) => missing(document) === null,
    )
    if (!drawn) throw new Error(`No fixture has what ${id} is drawn from`)
    draw(id, drawn)
    expect(screen.getByRole('table').querySelectorAll('tbody tr').length).toBeGreaterThan(0)
    const button = screen.getByRole('button', { name: 'as a table' })
    fireEvent.click(button)
    expect(button.getAttribute('aria-expanded')).toBe('true')
  })
})

describe('collective and independent calls', () => {
  it('says that all are of one kind', () => {
    const { container } = draw('collective-split', independentSmall)
    expect(textOf(container)).toContain('All 8,000 writes are independent.')
  })
  it('says the share where both occur, and keeps non-blocking calls apart', () => {
    const [writes, ...others] = largeJob.charts.collective
    if (!writes) throw new Error('The fixture has no calls')
    const few = { ...writes, independent: 12, collective: 409_600 }
    const charts = { ...largeJob.charts, collective: [few, ...others] }
    const { container: counted } = draw('collective-split', { ...largeJob, charts })
    expect(textOf(counted)).toContain('12 of the 409,612 writes are independent')
    const { container } = draw('collective-split', largeJob)
    expect(textOf(container)).toContain(
      '3.6 % of the 59,456 writes are independent; the one read is independent. ' +
        'Independent calls carry between 0.14 % and 10 % of the bytes written.',
    )
    expect(textOf(container)).toContain('non-blocking, kind unknown: 96 writes, 0 reads')
  })
  it.each([
    [1, 999_999, 'carry an unknown part of the bytes written'],
    [300_000, 999_999, 'carry at least 30 % of the bytes written'],
    [1, 300_000, 'carry at most 30 % of the bytes written'],
  ])('writes down no bound that tells nothing: of a million bytes %i to %i', (least, most, words) => {
    const [writes] = largeJob.charts.collective
    if (!writes) throw new Error('The fixture has no calls')
    const bound = { total_bytes: 1_000_000, independent_least: least, independent_most: most }
    const charts = { ...largeJob.charts, collective: [{ ...writes, ...bound }] }
    const { container } = draw('collective-split', { ...largeJob, charts })
    expect(textOf(container)).toContain(words)
  })
})

describe('aggregators in a call', () => {
  it('says that one aggregator has no share', () => {
    const { container } = draw('aggregator-activity', oneAggregatorStats)
    expect(textOf(container)).toContain('it has one aggregator, so no share can be formed')
    expect(textOf(container)).toContain('the four bins coincide')
  })
  it('says which part works in most calls', () => {
    const { container } = draw('aggregator-activity', idleAggregators)
    expect(textOf(container)).toContain(
      '2 to 6 of the 12 work in over 99 % of the 76,800 calls of sweep.dat; all 12 in none.',
    )
  })
  it.each([
    [1, ['1', null, null, null]],
    [2, ['1', null, null, '2']],
    [3, ['1', null, '2', '3']],
    [4, ['1', '2', '3', '4']],
    [48, ['1', '2 to 24', '25 to 47', '48']],
  ])('names the bins of %d aggregators', (n, names) => {
    expect(ranges(n)).toEqual(names)
  })
})

describe('sizes of requests', () => {
  it('sets exactly 1 MiB apart from what is smaller', () => {
    const { container } = draw('size-butterfly', largeJob)
    const table = textOf(screen.getByRole('table'))
    expect(table).toContain('POSIX, exactly 1 MiB143,360512')
    expect(table).toContain('POSIX, 100 KiB to 1 MiB120')
    expect(textOf(container)).toContain(
      'stored through POSIX, over 99 % of 143,896 accesses are exactly 1 MiB. One stripe is 4 MiB.',
    )
  })
  it('rounds no size that it calls exact', () => {
    const [first] = largeJob.charts.common_sizes
    if (!first) throw new Error('The fixture has no common size')
    const common_sizes = [
      { ...first, layer: 'POSIX' as const, size_bytes: 41_943_041, count: 7 },
      { ...first, layer: 'POSIX' as const, size_bytes: 1_048_576, count: 143_872 },
    ]
    draw('size-butterfly', { ...largeJob, charts: { ...largeJob.charts, common_sizes } })
    expect(textOf(screen.getByRole('table'))).toContain('POSIX, of exactly 41,943,041 bytesat least 7')
    // All of its bin: there can be no more.
    expect(textOf(screen.getByRole('table'))).toContain('POSIX, of exactly 1,048,576 bytes143,872')
  })
  it('draws one layer alone', () => {
    const { container } = draw('size-butterfly', manySmallFiles)
    expect(textOf(container)).toContain('At the POSIX layer, all 4,000 accesses are 100 B to 1 KiB.')
  })
})

describe('phases of MPI-IO', () => {
  it('leaves room behind the widest spread for the longest share with its seconds', () => {
    const wide = structuredClone(largeJob) as CaseDocument
    for (const phase of wide.charts.timers.flatMap((block) => block.phases))
      Object.assign(phase, { share: 0.999, time_s: 211, least: 0.02, most: 1.18 })
    const { container } = draw('timer-phases', wide)
    const ends = [...container.querySelectorAll('path')].flatMap((path) =>
      [...(path.getAttribute('d')?.matchAll(/M([\d.]+)/g) ?? [])].map(([, x]) => Number(x)),
    )
    const labels = [...container.querySelectorAll('svg text')].filter((t) =>
      /, 3.min/.test(t.textContent ?? ''),
    )
    expect(labels.length).toBeGreaterThan(0)
    for (const label of labels.filter((t) => t.textContent?.startsWith('over'))) {
      const begins = Number(label.getAttribute('x')) - textWidth(label.textContent ?? '')
      expect(begins).toBeGreaterThan(Math.max(...ends))
    }
  })
  it('says where the time goes, that phases overlap, and what net over raw bandwidth is', () => {
    const { container } = draw('timer-phases', lateRanks)
    expect(textOf(container)).toContain(
      'Of the 61.5 s in writes of skerry_rst.nc, 63 % pass in wait for coll and 24 % in imbalance; phases overlap and do not add to 100 %.',
    )
    expect(textOf(container)).toMatch(
      /Net bandwidth \(400 MiB\/s\) over raw bandwidth \(4\.34 GiB\/s\) of MPICH_MPIIO_TIMERS is the share of the file write, 9 %, and says no more\./,
    )
  })
  it('hatches waiting and exchange, and draws the file in the colour of its direction', () => {
    const { container } = draw('timer-phases', largeJob)
    const bar = (name: string) =>
      [...container.querySelectorAll('svg rect')].find((r) =>
        r.querySelector('title')?.textContent?.startsWith(name),
      )
    for (const name of ['wait for coll', 'data send', 'exchange'])
      expect(bar(name)?.getAttribute('style')).toContain('url(')
    expect(bar('file write')).toHaveClass('write')
    expect(bar('file read')).toHaveClass('read')
  })
  it('names phases below a hundredth instead of drawing them, and has all in the table', () => {
    const { container } = draw('timer-phases', largeJob)
    expect(textOf(container)).toContain('below 1 %: imbalance')
    const table = textOf(screen.getByRole('table'))
    expect(table).toContain('out.0001, write, all ranks: imbalance0.1 %')
    expect(table).toContain('restart.nc, read 2, readers only: wait for collnot known')
  })
  it('names the ranks that were slow and late, and all of them in the table', () => {
    const { container } = draw('timer-phases', largeJob)
    expect(textOf(container)).toContain(
      'Of out.0001, rank 306 on nid002113 was slowest in the file write; rank 192 came last to collective call 2, the one that was waited for most. The file lies on OST 3, 5, 9, 11.',
    )
    const table = textOf(screen.getByRole('table'))
    expect(table).toContain('out.0001, write, all ranks: wait in call 1, last1 %17')
  })
  it('says why there are no seconds', () => {
    const { container } = draw('timer-phases', largeJob)
    expect(textOf(container)).toContain(
      'No seconds: the times are in ticks of a clock whose rate is not printed.',
    )
  })
  it('names the setting that prints them', () => {
    drawAll(tunedRun)
    expect(document.querySelector('code')).toHaveTextContent(/^export MPICH_MPIIO_TIMERS=1/)
  })
})

describe('layers', () => {
  it('says who passes how much, and how long lies between the layers', () => {
    const { container } = draw('layer-stack', largeJob)
    expect(textOf(container)).toContain(
      'All 256 ranks hand 141 GiB to MPI-IO; 1 rank passes them to the file system. Below MPI-IO, 40.0 GiB are read that no call asked for, and 182 GiB written (1.3 times what was asked): read-modify-write, most in out.0001. Of the mean rank, storage calls take 6 min 52 s, and 17 min 34 s more pass in MPI-IO.',
    )
  })
  it('says in the table what was asked and what came of it, and of nothing that it is none', () => {
    const { growth } = largeJob.charts
    const [file] = growth?.files ?? []
    if (!growth || !file) throw new Error('The fixture has no growth')
    const row = { ...file, requested_read: 0, stored_read: 0, unrequested_read: 0 }
    const charts = { ...largeJob.charts, growth: { ...growth, files: [row] } }
    const { container } = draw('layer-stack', { ...largeJob, charts })
    const said = [...container.querySelectorAll('tr')].at(-1)
    expect(said?.textContent).toMatch(/asked [\d.]+\sGiB, stored [\d.]+\sGiB0\sB$/)
  })
  it('puts a library above MPI-IO, and DAOS beside the system calls', () => {
    const [mpiio, posix] = largeJob.charts.layers
    if (!mpiio || !posix) throw new Error('The fixture has no layers')
    const layers = (...those: CaseDocument['charts']['layers']) => ({
      ...largeJob,
      charts: { ...largeJob.charts, layers: those, growth: null },
    })
    const { container, unmount } = draw('layer-stack', layers(posix, mpiio, { ...mpiio, layer: 'HDF5' }))
    expect(textOf(container)).toContain('hand 141 GiB to HDF5; 1 rank passes them to the file system.')
    const every = draw('layer-stack', layers({ ...posix, ranks: 256 }, mpiio))
    expect(textOf(every.container)).toContain('; all 256 ranks pass most of them to the file system.')
    every.unmount()
    expect(screen.getAllByRole('rowheader').map(textOf)).toEqual(['HDF5', 'MPI-IO', 'POSIX'])
    unmount()
    const daos = draw('layer-stack', layers(posix, { ...mpiio, layer: 'DFS' }))
    expect(textOf(daos.container)).toContain(
      'All 256 ranks hand 141 GiB to DFS, in 24 min 28 s of the mean rank.',
    )
  })
  it('tells what a library takes beyond its own calls from what MPI-IO takes', () => {
    const account = tunedRun.account
    if (!account) throw new Error('The fixture has no account')
    const cells = { ...account.cells, exchange: 0.25, library: 0.19 }
    const said = textOf(draw('layer-stack', { ...tunedRun, account: { ...account, cells } }).container)
    expect(said).toContain('0.25 s more pass in MPI-IO, 0.19 s in HDF5 or PnetCDF.')
    const none = { ...tunedRun, account: { ...account, cells: { ...cells, library: 0 } } }
    expect(textOf(draw('layer-stack', none).container)).toContain('0.25 s more pass in MPI-IO.')
  })
  it('has the time between the layers from the account, and says none where that has none', () => {
    const account = tunedRun.account
    if (!account) throw new Error('The fixture has no account')
    const none = { ...tunedRun, account: { ...account, cells: { ...account.cells, exchange: 0 } } }
    expect(textOf(draw('layer-stack', tunedRun).container)).toContain('more pass in MPI-IO')
    expect(textOf(draw('layer-stack', none).container)).not.toContain('more pass in MPI-IO')
    const timers = { ...tunedRun, account: { ...account, basis: 'MPICH_MPIIO_TIMERS' as const } }
    expect(textOf(draw('layer-stack', timers).container)).not.toContain('more pass in MPI-IO')
  })
  it('shows what is not recorded as missing', () => {
    draw('layer-stack', largeJob)
    const row = screen.getByRole('rowheader', { name: 'STDIO' }).closest('tr')
    expect(row && textOf(row)).toBe(
      'STDIOnot recorded1.18 MiBnot recordednot recordednot recordednot recordednot recordednot recorded',
    )
  })
})

describe('bytes by rank and time', () => {
  it('says which rank moves how much, in how many bursts', () => {
    const { container } = draw('rank-time', largeJob)
    expect(textOf(container)).toContain('At POSIX rank 0 moves 100 % of the bytes, in 12 bursts.')
    expect(textOf(screen.getByRole('table'))).toContain('POSIX, ranks 0 to 63')
  })
})

describe('bytes by rank and time of a large job', () => {
  it('names its ranks in full, however many there are', () => {
    const many = structuredClone(largeJob) as CaseDocument
    for (const grid of many.charts.activity?.grids ?? []) Object.assign(grid, { nprocs: 1_000_000 })
    const { container } = draw('rank-time', many)
    const ranks = [...container.querySelectorAll('text[text-anchor=end]')].filter((text) =>
      /^\d{6}$/.test(text.textContent ?? ''),
    )
    expect(ranks.length).toBeGreaterThan(1)
    for (const text of ranks)
      expect(Number(text.getAttribute('x'))).toBeGreaterThanOrEqual(textWidth(text.textContent ?? ''))
  })
})

describe('the run and its files', () => {
  it('does not say that nothing was read or written where no time of that is known', () => {
    const untimed = structuredClone(largeJob) as CaseDocument
    for (const group of untimed.charts.activity?.groups ?? []) Object.assign(group, { reads: [], writes: [] })
    const { container } = draw('run-timeline', untimed)
    expect(textOf(container)).toContain('of no read or write it is known when it was')
    expect(textOf(container)).not.toContain('nothing was read or written')
  })
  it('names the end of the run where calls were timed to the end of it, or by another clock beyond', () => {
    expect(movesInWords(0.0107, 9.59, 9.58)).toBe(
      'Bytes move from 10.7\u202fms to the end of the run, 9.58\u202fs',
    )
    expect(movesInWords(0.0107, 9.579, 9.58)).toBe(
      'Bytes move from 10.7\u202fms to the end of the run, 9.58\u202fs',
    )
    expect(movesInWords(0, 9.5, 9.58)).toBe(
      "Bytes move from 0\u202fs to 9.50\u202fs of the run's 9.58\u202fs",
    )
  })
  it('says that calls end after the run where its table has such a time', () => {
    const { container } = draw('run-timeline', largeJob)
    expect(textOf(container)).not.toContain('another clock')
    const beyond = structuredClone(largeJob) as CaseDocument
    const { activity } = beyond.charts
    const [last] = activity?.groups ?? []
    if (!activity || !last) throw new Error('no activity')
    beyond.job.runtime_s = activity.run_s
    activity.run_s += 1
    last.opened.to_s = activity.run_s
    expect(textOf(draw('run-timeline', beyond).container)).toContain('another clock than the run')
  })
  it('says in its sentence alone that names were hidden', () => {
    const hidden = structuredClone(largeJob) as CaseDocument
    const [first] = hidden.charts.activity?.groups ?? []
    if (!first) throw new Error('no activity')
    first.label = '3 files such as 3981085427 (names obfuscated)'
    expect(textOf(draw('run-timeline', hidden).container).match(/names obfuscated/g)).toHaveLength(1)
  })
  it('says when the first and the last byte moves', () => {
    const { container } = draw('run-timeline', largeJob)
    expect(textOf(container)).toContain(
      "Bytes move from 1.00 s to 33 min of the run's 33 min 20 s. In use: out.####, 4 files, written in 2 stretches and read in one stretch.",
    )
    const logged = structuredClone(largeJob) as CaseDocument
    const { activity } = logged.charts
    const [first] = activity?.groups ?? []
    if (!activity || !first) throw new Error('no activity')
    const whole = [{ from_s: 0, to_s: activity.run_s }]
    Object.assign(activity, { groups: [first, { ...first, label: 'run.log', writes: whole, reads: [] }] })
    expect(textOf(draw('run-timeline', logged).container)).toContain('Most bytes: out.####, 4 files, written')
  })
})

describe('the data of a chart as a table', () => {
  const tableOf = (rows: number) =>
    render(
      <PlainTable
        caption="OSTs"
        data={{ head: ['OST', 'written'], rows: Array.from({ length: rows }, (_, i) => [`OST ${i}`, '1 B']) }}
      />,
    ).container

  it('says how many rows are not there', () => {
    const container = tableOf(1208)
    expect(container.querySelectorAll('tbody tr')).toHaveLength(200)
    expect(textOf(container.querySelector('tfoot') as Element)).toBe('and 1,008 more')
  })

  it('has them all where they are no more than that', () => {
    const container = tableOf(200)
    expect(container.querySelectorAll('tbody tr')).toHaveLength(200)
    expect(container.querySelector('tfoot')).toBeNull()
  })
})
