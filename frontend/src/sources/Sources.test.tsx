import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import { everyKind, tunedRun } from '../fixtures/documents'
import { FixtureCase } from '../fixtures/FixtureCase'
import { textOf } from '../test/text'
import LayoutDrawing from './LayoutDrawing'
import Sources from './Sources'
import { type PartOf, textEvidence } from './textEvidence'

function Stateful({ document, first }: { document: CaseDocument; first: string | undefined }) {
  const [opened, setOpened] = useState(first)
  return (
    <>
      <Sources document={document} opened={opened} onOpened={setOpened} />
      <output>{opened ?? 'standard'}</output>
    </>
  )
}

const show = (document: CaseDocument, opened?: string) =>
  render(
    <FixtureCase document={document}>
      <Stateful document={document} first={opened} />
    </FixtureCase>,
  )
/** Thin spaces read as spaces. */
const drawnOsts = () => [...document.querySelectorAll('svg[role=img] g g text')].map((one) => one.textContent)
const kind = (id: string) => document.getElementById(`said-${id}`) as HTMLDetailsElement
const rowOf = (id: string, words: string | RegExp) =>
  textOf(
    within(kind(id))
      .getAllByRole('rowheader')
      .find((cell) => (typeof words === 'string' ? textOf(cell).includes(words) : words.test(textOf(cell))))
      ?.closest('tr'),
  )

describe('what the sources say', () => {
  it('opens what wants a look, and lists only kinds that are there', () => {
    show(everyKind)
    expect(kind('agreement').open).toBe(true)
    expect(kind('complaints').open).toBe(true)
    expect(kind('hints').open).toBe(false)
    expect(kind('osts')).toBeNull()
    expect([...document.querySelectorAll('summary h3')].map(textOf)).toEqual([
      'Do the sources agree?',
      'Warnings and errors',
      'MPI-IO hints',
      'MPI library',
      'Aggregator placement',
      'MPICH_MPIIO_STATS',
      'CrayPAT',
      'Stripe layouts',
      'Job script and scheduler',
      'Benchmark runs',
      'Darshan totals',
    ])
  })

  it('is not there where no text was given', () => {
    const { container } = show({ ...tunedRun, texts: [], texts_total: 0, agreement: [] })
    expect(container.querySelector('section')).toBeNull()
  })

  it('keeps what is open where the address can hold it', () => {
    show(everyKind)
    const address = screen.getByRole('status')
    fireEvent.click(within(kind('hints')).getByText('MPI-IO hints'))
    expect(kind('hints').open).toBe(true)
    expect(address).toHaveTextContent('agreement,complaints,hints')
    fireEvent.click(within(kind('hints')).getByText('MPI-IO hints'))
    expect(address).toHaveTextContent('standard')
    for (const id of ['agreement', 'complaints'])
      fireEvent.click(kind(id).querySelector('summary') as Element)
    expect(address).toHaveTextContent('none')
  })

  it('says that not all parts are listed', () => {
    show({ ...everyKind, texts_total: 900 })
    const listed = `900 parts of the texts; the first ${everyKind.texts.length} are listed`
    expect(screen.getByText(new RegExp(listed))).toBeVisible()
  })
})

describe('agreement', () => {
  it("puts figures that differ first, with each source's figure and the known reason", () => {
    const [first] = everyKind.agreement
    if (!first) throw new Error('the fixture has no figure that two sources state')
    const agrees = {
      ...first,
      quantity: 'bytes written',
      unit: 'B' as const,
      file: '/lus/out.1',
      agrees: true,
      difference: 0.004,
      reason: null,
    }
    show({ ...everyKind, agreement: [agrees, ...everyKind.agreement] })
    const names = within(kind('agreement')).getAllByRole('rowheader').map(textOf)
    expect(names.at(-1)).toBe('bytes written')
    expect(rowOf('agreement', 'bytes written')).toMatch(/out\.1.*0\.4\s%.*agrees/)
    const ranks = rowOf('agreement', 'ranks')
    expect(ranks).toContain('8 ranks nprocs, 06-shared-indep-1000b-unaligned.darshan')
    expect(ranks).toContain('32 ranks Number of PEs (MPI ranks), slurm-40417.out')
    expect(ranks).toContain('differs The sources may be of different jobs')
    expect(textOf(kind('agreement').querySelector('summary'))).toContain(
      `they differ in ${everyKind.agreement.length} of`,
    )
  })

  it('says in a few words that all agree', () => {
    const agreement = everyKind.agreement.map((a) => ({ ...a, agrees: true }))
    show({ ...everyKind, agreement })
    expect(kind('agreement').open).toBe(false)
    expect(textOf(kind('agreement'))).toContain(`yes, in all ${agreement.length} figures`)
  })
})

describe('warnings and errors', () => {
  it('adds them up, names the errno, the ranks, the files and the bytes', () => {
    show(everyKind)
    expect(rowOf('complaints', 'EDQUOT')).toMatch(
      /writes failed with EDQUOT, Disk quota exceeded errno 122.*24.*12 ranks: 0, 8, 16 ….*2 files: ridge\.000020\.bin, ridge\.000030\.bin.*178 MiB.*lines 3–32/,
    )
    expect(rowOf('complaints', 'DVS set a stripe width of 14')).toContain('64')
    expect(rowOf('complaints', 'ADIOI_CRAY_Calc_aggregator_pfl')).toContain('a defect of the library')
    expect(rowOf('complaints', 'MPI aborted with code 77')).toContain('nid002001')
    expect(textOf(kind('complaints').querySelector('summary'))).toContain('EDQUOT in a write × 24')
  })
})

describe('hints and settings', () => {
  it('marks the hints that matter and folds the others', () => {
    show(everyKind, 'hints')
    const hints = kind('hints')
    expect(rowOf('hints', 'romio_cb_write')).toBe(
      'romio_cb_write (decides how MPI-IO works)automatic line 59 of plume-7204411.hints.stderr.txt–not that the sources say',
    )
    expect(textOf(hints)).not.toContain('cb_align')
    const [more] = within(hints).getAllByRole('button', { name: '15 other hints' })
    fireEvent.click(more as HTMLElement)
    expect(more).toHaveAttribute('aria-expanded', 'true')
    expect(rowOf('hints', 'cb_align')).toContain('2')
    expect(textOf(hints)).toContain('printed by Cray MPICH, MPICH_MPIIO_HINTS_DISPLAY, by rank 0')
  })

  it('shows the settings of MPI-IO first, and finds any', () => {
    show(everyKind, 'environment')
    const env = kind('environment')
    expect(textOf(env)).toContain('8.1.23.11')
    expect(textOf(env)).not.toContain('FI_CXI_DEFAULT_CQ_SIZE')
    expect(rowOf('environment', 'MPICH_MPIIO_HINTS')).toBeTruthy()
    fireEvent.change(within(env).getByLabelText('Filter settings'), { target: { value: 'cxi' } })
    expect(within(env).getAllByRole('rowheader').map(textOf)).toEqual([
      'MPICH_OFI_USE_PROVIDER',
      'FI_CXI_DEFAULT_CQ_SIZE',
    ])
    fireEvent.change(within(env).getByLabelText('Filter settings'), { target: { value: 'no such' } })
    expect(within(env).getByText(/No setting has “no such”/)).toBeVisible()
  })
})

describe('files, ranks and stripes', () => {
  it('counts aggregators by node, or keeps the text', () => {
    show(everyKind, 'placement')
    expect(rowOf('placement', 'nid001411')).toContain('4128, 160, 192, 224')
    expect(kind('placement').querySelector('pre')?.textContent).toBe(
      'Aggregator Placement for out/shelf.0002.nc',
    )
  })

  it('has a line for each block of statistics, in pages', () => {
    const [block] = everyKind.texts.filter(({ part }) => part.kind === 'mpiio_stats')
    if (block?.part.kind !== 'mpiio_stats') throw new Error('no block')
    const { part } = block
    const told = Array.from({ length: 45 }, (_, i) => ({
      ...block,
      part: {
        ...part,
        file: `out.${i}`,
        lines: { ...part.lines, first: i + 1 },
        trusted: i > 0,
        rmw_count: null,
      },
    }))
    show({ ...everyKind, texts: told }, 'stats')
    const stats = within(kind('stats'))
    expect(stats.getAllByRole('rowheader')).toHaveLength(20)
    expect(rowOf('stats', 'out.0')).toContain('mixed with another block: not used')
    expect(rowOf('stats', 'out.0')).toContain('not in the block')
    expect(stats.getByText('1–20 of 45')).toBeVisible()
    expect(stats.getByRole('button', { name: 'previous' })).toBeDisabled()
    fireEvent.click(stats.getByRole('button', { name: 'next' }))
    fireEvent.click(stats.getByRole('button', { name: 'next' }))
    expect(stats.getByText('41–45 of 45')).toBeVisible()
    expect(stats.getByRole('button', { name: 'next' })).toBeDisabled()
  })

  it('lists the rates of a benchmark by phase, and which do not count', () => {
    const rate = {
      command_line: null,
      maximum: null,
      minimum: null,
      stddev: null,
      seconds: null,
      valid: true,
    }
    const part: PartOf<'benchmark_rates'> = {
      kind: 'benchmark_rates',
      tool: 'IO500',
      lines: { first: 1, last: 15, kind: 'lines' },
      complete: true,
      version: 'io500-sc23_v1',
      nprocs: 640,
      nodes: null,
      command_line: null,
      file: null,
      began_local: null,
      settings: [],
      rates: [
        { ...rate, phase: 'ior-easy-write', unit: 'B/s', line: 2, mean: 21_474_836_480, seconds: 312 },
        {
          ...rate,
          phase: 'mdtest-easy-delete',
          unit: 'ops/s',
          line: 3,
          mean: 50_000,
          maximum: 60_000,
          valid: false,
        },
        { ...rate, phase: 'mdtest-hard-stat', unit: 'ops/s', line: 4, mean: 0.407 },
      ],
    }
    show({ ...tunedRun, texts: [{ source: 0, part }], texts_total: 1 }, 'rates')
    expect(textOf(kind('rates'))).toContain('IO500 io500-sc23_v1, 640 ranks')
    expect(textOf(kind('rates'))).toContain('mean rate')
    expect(rowOf('rates', 'ior-easy-write')).toContain('20.0 GiB/s')
    expect(rowOf('rates', 'mdtest-easy-delete')).toContain('(does not count)50,000 operations/s')
    expect(rowOf('rates', 'mdtest-hard-stat')).toContain('0.407 operations/s')
  })

  it.each([
    ['rate', 50_000],
    ['mean rate', 60_000],
  ])('calls the rate of a benchmark a %s where the highest is %d', (called, maximum) => {
    const rate: PartOf<'benchmark_rates'>['rates'][number] = {
      unit: 'ops/s',
      ...{ phase: 'File creation', line: 9, mean: 50_000, minimum: 50_000, maximum },
      ...{ command_line: null, stddev: 0, seconds: null, valid: true },
    }
    const part: PartOf<'benchmark_rates'> = {
      kind: 'benchmark_rates',
      tool: 'mdtest',
      lines: { first: 1, last: 15, kind: 'lines' },
      ...{ complete: true, version: '3.3.0', nprocs: 8, nodes: null, command_line: null, file: null },
      ...{ began_local: null, settings: [], rates: [rate] },
    }
    show({ ...tunedRun, texts: [{ source: 0, part }], texts_total: 1 }, 'rates')
    expect(within(kind('rates')).getByRole('columnheader', { name: /rate$/ })).toHaveTextContent(
      new RegExp(`^${called}$`),
    )
    expect(within(kind('rates')).getByRole('columnheader', { name: 'highest' })).toBeVisible()
  })

  it('lists how storage lays data out, and what a text does not state', () => {
    const part: PartOf<'storage_layout'> = {
      kind: 'storage_layout',
      tool: 'mmlsfs',
      file_system: 'gpfs',
      lines: { first: 2, last: 20, kind: 'lines' },
      complete: true,
      path: '/gpfs/fjord',
      unit_bytes: 16_777_216,
      targets: 6,
      pattern: 'scatter',
      fields: [],
    }
    const pool = {
      ...part,
      tool: 'daos',
      file_system: 'daos',
      path: 'sea',
      unit_bytes: null,
      complete: false,
    } as const
    const texts = [part, pool].map((one, source) => ({ source, part: one }))
    show({ ...everyKind, texts, texts_total: 2 }, 'storage')
    expect(textOf(kind('storage'))).toContain('GPFS, 16 MiB, 6 targets')
    expect(rowOf('storage', 'fjord')).toContain('GPFS16 MiB6scatter')
    expect(rowOf('storage', 'sea')).toContain('not stated6scatter the text is cut off')
  })

  it('says of which quotas there is room', () => {
    const part: PartOf<'quota_room'> = {
      kind: 'quota_room',
      tool: 'lfs quota',
      mount: '/scratch',
      name: 'usr bob',
      line: 3,
    }
    show({ ...everyKind, texts: [{ source: 0, part }], texts_total: 1 }, 'quotas')
    expect(rowOf('quotas', 'usr bob')).toContain('/scratchlfs quota')
  })

  it('says of each block of times whether it is used, and why not', () => {
    const block: PartOf<'mpiio_timers'> = {
      file: 'out/a.nc',
      lines: { first: 1, last: 21, kind: 'lines' },
      kind: 'mpiio_timers',
      direction: 'write',
      ranks: 'all ranks',
      occurrence: 1,
      complete: true,
      trusted: true,
      active_ranks: 8,
      idle_ranks: null,
      seconds: [],
      scale_exponent: 20,
      total_ticks: 100,
      phases: [],
      data_send_bandwidth: null,
      data_receive_bandwidth: null,
      raw_bandwidth: null,
      net_bandwidth: null,
      detail_level: 2,
      details: [],
      named_ranks: [
        {
          role: 'slowest access',
          printed: 'Slow writer file write',
          call: null,
          ticks: 90,
          rank: 306,
          line: 22,
        },
        {
          role: 'late arriver',
          printed: 'Late arriver among all ranks waitforcoll.4',
          call: 4,
          ticks: 1,
          rank: 192,
          line: 23,
        },
        {
          role: 'slowest group unlock',
          printed: 'Slow group unlock writer',
          call: null,
          ticks: 0,
          rank: 0,
          line: 24,
        },
      ],
      rows: [],
    }
    const lines = (first: number) => ({ first, last: first + 20, kind: 'lines' as const })
    const told = [
      { source: 0, part: { ...block, file: 'out/a.nc', lines: lines(1) } },
      { source: 0, part: { ...block, file: 'out/b.nc', lines: lines(40), trusted: false } },
    ]
    show({ ...tunedRun, texts: told, texts_total: 2, charts: { ...tunedRun.charts, timers: [] } }, 'timers')
    expect(textOf(kind('timers'))).toContain('2 blocks; 1 block read but not trusted')
    expect(rowOf('timers', 'a.nc')).toContain('Used.')
    expect(rowOf('timers', 'a.nc')).toContain('rank 306 slowest; rank 192 last to call 4')
    expect(rowOf('timers', 'a.nc')).not.toContain('unlock')
    expect(rowOf('timers', 'a.nc')).toContain('not in the block')
    expect(rowOf('timers', 'b.nc')).toContain('Not trusted: its lines are mixed')
  })

  it("adds CrayPAT's figures up over ranks, names its rate as one stream's, and folds what is no file", () => {
    show(everyKind, 'craypat')
    const pat = kind('craypat')
    // 4.000000 MiB, 0.0211 s and 4.0 reads are printed as means of 8 ranks.
    expect(rowOf('craypat', /^in\/mesh\.bin$/)).toMatch(/^in\/mesh\.bin32\.0 MiB320\.17 s1908/)
    expect(within(pat).getAllByText("MiB/s of one rank's stream").length).toBeGreaterThan(1)
    const [onLustre] = within(pat).getAllByRole('table', { name: 'Lustre file information of CrayPAT' })
    expect(textOf(onLustre)).toMatch(/in\/mesh\.bin11 MiB23/)
    expect(textOf(pat)).not.toContain('/etc/hosts')
    const [fold] = within(pat).getAllByRole('button', { name: '1 row that is no file of the program' })
    fireEvent.click(fold as HTMLElement)
    expect(rowOf('craypat', '/etc/hosts')).toContain('system')
    expect(rowOf('craypat', /^0 out\/field\.0040\.dat$/)).toContain('3.83 GiB')
    expect(textOf(pat)).toContain('8 on 2 nodes')
    expect(textOf(pat)).toContain('14.0 s, mean of the ranks')
  })

  it('gives a line to each component of a layout', () => {
    show(everyKind, 'layouts')
    expect(rowOf('layouts', 'component 1 of 4')).toContain('0 B to 64 KiBon the MDT64 KiB')
    expect(rowOf('layouts', 'component 3 of 4')).toContain('256 MiB to 32 GiB64 MiBdisk2, 9, 16, 23, 5, 12')
    expect(rowOf('layouts', 'component 4 of 4')).toContain('not yet instantiated')
    expect(rowOf('layouts', 'ckpt')).toContain('what new files of the directory get')
  })
})

describe('MPI calls', () => {
  const operation = { bytes: null, least_s: 0.1, mean_s: 0.5, most_s: 2, most_rank: 3, sync_s: null }
  const mpi = {
    source: 0,
    operations: [
      { ...operation, name: 'MPI_ALLREDUCE', calls: 80, bytes: 640 },
      { ...operation, name: 'MPI_BARRIER', calls: 8, mean_s: 0.2 },
    ],
    ranks: [{ rank: 3, time_s: 2.5, sync_s: null }],
    ranks_total: 128,
    partial: false,
  }

  it('are listed by operation and by rank, with what was not timed said', () => {
    show({ ...tunedRun, texts: [], texts_total: 0, mpi }, 'mpi')
    expect(textOf(kind('mpi'))).toContain('2 operations on 128 ranks; most time in MPI_ALLREDUCE')
    expect(textOf(kind('mpi'))).toContain('The wait in collectives was not timed')
    expect(textOf(kind('mpi'))).toContain('The 1 with most time of 128.')
    expect(rowOf('mpi', 'MPI_ALLREDUCE')).toContain('rank 3')
    expect(rowOf('mpi', 'MPI_BARRIER')).toContain('has no bytes')
    expect(rowOf('mpi', 'MPI_BARRIER')).not.toContain('not recorded')
  })
})

describe('what surrounds the job', () => {
  it("shows the scheduler's figures and the script's lines with their places", () => {
    show(everyKind, 'job')
    const job = textOf(kind('job'))
    expect(job).toContain('ranks per node128 line 4 of plume.slurm')
    expect(job).toContain('lfs setstripe -c 1 -S 1M out')
    expect(job).toContain('elapsed2 h line 4 of sacct-7204411.txt')
    expect(job).toContain('MPICH_MPIIO_STATS1line 23')
  })

  it.each([
    [true, '/work: 2 OSTs'],
    [false, '/work: 2 OSTs listed, others left out'],
  ])('says of targets whether all are listed: %s', (complete, words) => {
    const ost = { total_bytes: 100, used_bytes: 50, available_bytes: 50 }
    const osts = [0, 1].map((index) => ({ ...ost, name: `work-OST000${index}`, index, line: 2 + index }))
    const part = { kind: 'ost_usage', mount: '/work', osts, mdts: [], lines: { first: 1, last: 3 }, complete }
    show({ ...everyKind, texts: [{ source: 0, part }] } as unknown as CaseDocument, 'osts')
    const said = kind('osts').querySelector('summary')
    expect(textOf(said)).toMatch(new RegExp(`${words}$`))
  })

  it.each([
    ['lsf', 'LSF'],
    ['flux', 'Flux'],
    ['cobalt', 'Cobalt'],
  ] as const)('calls the scheduler %s by its name', (scheduler, name) => {
    const document = structuredClone(everyKind) as CaseDocument
    for (const { part } of document.texts) if (part.kind === 'job_context') Object.assign(part, { scheduler })
    show(document, 'job')
    expect(textOf(kind('job'))).toContain(`${name} job script`)
    expect(textOf(kind('job')).includes('Cobalt')).toBe(scheduler === 'cobalt')
  })

  it('gives the bandwidth of each operation of a benchmark', () => {
    show(everyKind, 'benchmarks')
    expect(rowOf('benchmarks', /^write $/)).toMatch(/3\.08 GiB\/s3\.00 GiB\/s2\.90 GiB\/s3line 43/)
    expect(textOf(kind('benchmarks'))).toContain('one shared file, collective')
    expect(rowOf('benchmarks', 'fullstriped')).toContain('5.76 GiB/s')
  })

  it("gives Darshan's totals that are not zero", () => {
    show(everyKind, 'darshan-totals')
    expect(rowOf('darshan-totals', 'POSIX_BYTES_WRITTEN')).toContain('134217728128 MiB')
    expect(textOf(kind('darshan-totals'))).not.toContain('POSIX_FILENOS')
    expect(textOf(kind('darshan-totals'))).toContain('by the slowest rank')
  })
})

describe('stripe layouts', () => {
  it('are drawn on their OSTs, a cell a stripe', async () => {
    const osts = textEvidence(everyKind, 'stripe_layout')
      .slice(0, 4)
      .flatMap(({ part }) => part.components.flatMap((one) => one.osts.slice(0, 64)))
    expect(osts.length).toBeGreaterThan(0)
    show(everyKind, 'layouts')
    await waitFor(() => expect(drawnOsts()).toEqual(osts.map(String)))
  })

  it('name the mirror that a component is of', () => {
    const layout = textEvidence(everyKind, 'stripe_layout')
      .map(({ part }) => part)
      .find(({ components }) => components.some(({ osts }) => osts.length > 0))
    const component = layout?.components.find(({ osts }) => osts.length > 0)
    if (layout === undefined || component === undefined) throw new Error('no layout is drawn')
    const of = (...mirrors: number[]) => {
      const components = mirrors.map((mirror_id) => ({ ...component, mirror_id, line: mirror_id }))
      const { container, unmount } = render(<LayoutDrawing layout={{ ...layout, components }} name="f" />)
      const words = [...container.querySelectorAll('svg > g > text')].map((one) => textOf(one))
      unmount()
      return words
    }
    expect(of(1, 2).map((words) => words.slice(0, 8))).toEqual(['mirror 1', 'mirror 2'])
    expect(of(1)[0]).not.toContain('mirror')
  })
})
