import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { CaseSummary } from '../../api/types'
import { INFO, open, serve } from '../../test/router'

const row = (id: string, more: Partial<CaseSummary> = {}): CaseSummary => ({
  id,
  sources_alike: id,
  created_at: '2026-11-20T09:14:00Z',
  status: 'ready',
  title: id,
  job_id: null,
  executable: null,
  headline: 'I/O is not what this run waits for.',
  severity: 'info',
  nprocs: 8,
  io_time_s: 1,
  io_time_fraction: 0.01,
  io_time_bound: '',
  sample: false,
  ...more,
})
const CASES = [
  row('a', { job_id: '100', executable: '/home/u/plume.x', io_time_s: 900 }),
  row('b', { job_id: '200', headline: 'One rank writes for all.', severity: 'high', io_time_s: null }),
  row('c', { job_id: '300', severity: 'medium', io_time_s: 20, io_time_bound: 'at least' }),
  row('d', { title: 'huge.out', status: 'failed', headline: null, severity: null, io_time_s: null }),
  row('s', { job_id: '999', sample: true }),
]
const listing = (cases: readonly CaseSummary[]) =>
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/samples': [],
    'GET /api/v1/cases': ({ url }) =>
      Response.json(url.includes('words=') ? { total: 0, cases: [] } : { total: cases.length, cases }),
  })
/** What leads to the cases, from the top. */
const shown = () =>
  within(screen.getByRole('table'))
    .getAllByRole('link')
    .map((link) => link.textContent)

describe('the list of cases', () => {
  it('has the newest first, without the samples', async () => {
    listing(CASES)
    open('/')
    expect(await screen.findByText('4 cases')).toBeVisible()
    expect(shown()).toEqual(['100', '200', '300', 'huge.out'])
  })

  it('says of an older case of the same files that they were given again, and leads there', async () => {
    listing([row('c', { sources_alike: 'x' }), row('b', { sources_alike: 'x', status: 'failed' }), row('a')])
    open('/')
    await screen.findByText('3 cases')
    const leads = screen.getAllByTitle('The newest case of the same files')
    expect(leads.map((lead) => lead.getAttribute('href'))).toEqual(['/cases/c'])
    expect(leads[0]?.closest('tr')).toHaveTextContent(/^failedb.*again 20 Nov$/)
  })

  it('says of a share no more than of its time', async () => {
    listing([
      row('a', { job_id: '100', io_time_bound: 'at most' }),
      row('b', { job_id: '200', io_time_bound: 'at least' }),
      row('c', { job_id: '300' }),
    ])
    open('/')
    await screen.findByText('3 cases')
    const shares = screen
      .getAllByRole('row')
      .slice(1)
      .map((one) => one.textContent?.match(/[≤≥]?\s?1\s%/)?.[0].replace(/\s/g, ''))
    expect(shares).toEqual(['≤1%', '≥1%', '1%'])
  })

  it('names the program beside the job, of whose case it is the title', async () => {
    listing([row('a', { job_id: '100', title: 'plume.x', executable: '/home/u/plume.x' })])
    open('/')
    expect(await screen.findByText('plume.x')).toBeVisible()
  })

  it('has the whole of a job that is too long for its column', async () => {
    const job = '20260711-0812345.pbs-server.example.org'
    listing([row('a', { job_id: job })])
    open('/')
    expect(await screen.findByTitle(job)).toContainElement(screen.getByRole('link', { name: job }))
  })

  it('finds by every word given, in job, program, sentence and severity, and keeps that in the address', async () => {
    listing(CASES)
    const { router } = open('/')
    const find = await screen.findByRole('searchbox', { name: /^Find cases/ })
    await userEvent.type(find, 'writes high')
    await waitFor(() => expect(shown()).toEqual(['200']))
    expect(screen.getByText('1 of 4 cases')).toBeVisible()
    expect(router.state.location.searchStr).toBe('?q=writes+high')
    await userEvent.clear(find)
    await userEvent.type(find, 'PLUME')
    await waitFor(() => expect(shown()).toEqual(['100']))
    await userEvent.type(find, 'x')
    expect(await screen.findByText(/No case has “PLUMEx”/)).toBeVisible()
  })

  it('puts the worst, or the longest in I/O, first; what has no figure stands last', async () => {
    listing(CASES)
    const { router } = open('/?order=severity')
    await waitFor(() => expect(shown()).toEqual(['200', '300', '100', 'huge.out']))
    await userEvent.selectOptions(screen.getByLabelText('Order of the cases'), 'most time in I/O first')
    await waitFor(() => expect(shown()).toEqual(['100', '300', '200', 'huge.out']))
    expect(router.state.location.searchStr).toBe('?order=time')
    await userEvent.selectOptions(screen.getByLabelText('Order of the cases'), 'newest first')
    await waitFor(() => expect(router.state.location.searchStr).toBe(''))
  })

  it('begins with the first page again when something else is asked for', async () => {
    listing(Array.from({ length: 22 }, (_, n) => row(`n${n}`, { job_id: `70${n}` })))
    open('/')
    await userEvent.click(await screen.findByRole('button', { name: 'Next' }))
    expect(shown()).toEqual(['7020', '7021'])
    await userEvent.type(screen.getByRole('searchbox', { name: /^Find cases/ }), '70')
    await waitFor(() => expect(shown()).toHaveLength(20))
  })

  it('has those that the server finds by their files or nodes, and of a severity or worse', async () => {
    const all = { total: CASES.length, cases: CASES }
    const found = { total: 1, cases: CASES.filter(({ id }) => id === 'c') }
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/samples': [],
      'GET /api/v1/cases': all,
      'GET /api/v1/cases?limit=500&offset=0&words=nid00': found,
    })
    const { router } = open('/?q=nid00')
    await waitFor(() => expect(shown()).toEqual(['300']))
    await userEvent.clear(screen.getByRole('searchbox', { name: /^Find cases/ }))
    await userEvent.selectOptions(screen.getByLabelText('Severity of the cases'), 'medium or worse')
    await waitFor(() => expect(shown()).toEqual(['200', '300']))
    expect(router.state.location.searchStr).toBe('?least=medium')
  })

  it('says of a time that it is the least that it can be', async () => {
    listing(CASES)
    open('/')
    expect((await screen.findByText('at least')).closest('tr')).toHaveTextContent(/300.*at least 20/)
  })

  it('drops an order that there is not', async () => {
    listing(CASES)
    open('/?order=colour')
    await screen.findByText('4 cases')
    expect(shown()[0]).toBe('100')
  })
})
