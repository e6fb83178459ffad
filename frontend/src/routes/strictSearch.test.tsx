import { act, screen } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { INFO, open, serve } from '../test/router'

beforeEach(() => {
  serve({ 'GET /api/v1/info': INFO, 'GET /api/v1/samples': [] })
})

it.each([
  ['/cases/a1?set=foo&charts=5&open=small-io', { open: 'small-io' }],
  ['/cases/a1/timeline?op=both&show=bar&t=abc&site=archer2', { op: 'both', site: 'archer2' }],
  ['/cases/a1/files?moved=x&sort=-path&mark=zzz', { sort: '-path' }],
  ['/cases/a1/files?sort=bogus&grouped=no', { grouped: 'no' }],
  ['/cases/a1/ranks?of=foo&order=sorted', { order: 'sorted' }],
  ['/cases/a1/evidence?source=abc&line=3', { line: 3 }],
  ['/centre/2026-11-20?period=year&user=u1', { user: 'u1' }],
  ['/?order=colour&least=high', { least: 'high' }],
])('of %s only what is understood reaches the page', async (address, search) => {
  const { router } = open(address)
  await act(() => router.load())
  const { search: reached } = router.state.matches.at(-1) ?? {}
  expect(reached).toEqual(search)
})

it.each(['/tickets/abc', '/tickets/0', '/centre/notaday', '/centre/2026-02-30', '/centre/x/logs/ab'])(
  '%s can be no address of anything, and is told so in words',
  async (address) => {
    open(address)
    expect(await screen.findByText('There is no page at this address.')).toBeVisible()
  },
)
