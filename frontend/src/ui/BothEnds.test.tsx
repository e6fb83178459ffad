import { render, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { BothEnds } from './BothEnds'

const NAME = 'jlbez_8a_benchmark_write_parallel_id1322696_8-21-14519-8141979180909667175_12.darshan'

const drawn = (name: string, lines: 1 | 3) => {
  render(
    <a href="/" title={name}>
      <BothEnds name={name} lines={lines} />
    </a>,
  )
  return screen.getByRole('link', { name })
}

it.each([1, 3] as const)(
  'shows the end of a long name, and is one text to read and copy, in %i lines',
  (lines) => {
    const link = drawn(NAME, lines)
    const seen = [...link.querySelectorAll('[aria-hidden]')].map((part) => part.textContent)
    expect(seen).toEqual([NAME.slice(0, -10), '12.darshan'])
    expect(within(link).getByText(NAME)).toBeInTheDocument()
  },
)

it.each([
  ['f1-stats-rmw-holes-in-collective.txt', 'collective.txt'],
  ['checkpoint_of_the_ocean_model_abcdefghijklmnop', 'abcdefghijklmnop'],
  ['rho of the ocean model 1041654591 and others', 'and others'],
])('begins the end of %s with a word where one begins there', (name, end) => {
  expect(drawn(name, 3).querySelectorAll('[aria-hidden]')[1]?.textContent).toBe(end)
})

it.each([
  ['is short', 'job 7'],
  ['has an emoji where it would be cut', 'ocean_restart_month_of_august_\u{1f680}-1234567890ab.h5'],
  ['has an accent of its own', 'e\u0301tude_climatique_de_la_cote_atlantique.h5'],
  ['runs from right to left', 'ناتج_المحاكاة_المناخية_الطويلة_جدا_للخليج_12.h5'],
])('leaves a name whole that %s', (_, name) => {
  for (const lines of [1, 3] as const) {
    const { container, unmount } = render(<BothEnds name={name} lines={lines} />)
    expect(container.innerHTML).toBe(name)
    unmount()
  }
})
