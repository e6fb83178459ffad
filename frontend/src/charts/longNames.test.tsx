import { createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import { DARSHAN_FIXTURES, LUSTRE_FIXTURES, largeJob, MPICH_FIXTURES } from '../fixtures/documents'
import { ChartGrid } from './frame/Charts'
import { textWidth } from './frame/text'

const LONG = 'Rinderkennzeichnungs_und_Rindfleischetikettierungsueberwachungsaufgaben'.repeat(2)
/** What people, programs and networks name. */
const NAMED = new Set(['node', 'file', 'label', 'path', 'mount', 'title'])

function named<T>(value: T, key = ''): T {
  if (Array.isArray(value)) return value.map((one, i) => named(one, `${key}${i}`)) as T
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        typeof one === 'string' && NAMED.has(name) ? `${one}${LONG}` : named(one, name),
      ]),
    ) as T
  return value
}

/** Of which a library said where its aggregators are, and nothing what they move. */
const placed: CaseDocument['charts']['aggregating'] = largeJob.charts.aggregating
  .filter(({ basis }) => basis === 'placement')
  .map((view) => ({ ...view, ranks: view.ranks.slice(0, 4) }))

const documents: readonly (readonly [string, CaseDocument])[] = [
  ['a large job', largeJob],
  ['a few aggregators', { ...largeJob, charts: { ...largeJob.charts, aggregating: placed } }],
  ...DARSHAN_FIXTURES,
  ...LUSTRE_FIXTURES,
  ...MPICH_FIXTURES,
]

/** Where its words begin and end in its drawing. */
function extent(text: Element): readonly [from: number, to: number] {
  const said = [...text.childNodes].filter((node) => node.nodeName !== 'title')
  const wide = textWidth(said.map((node) => node.textContent).join(''))
  let x = Number(text.getAttribute('x') ?? 0)
  for (let around = text.parentElement; around && around.nodeName !== 'svg'; around = around.parentElement)
    x += Number(/translate\(([-\d.]+)/.exec(around.getAttribute('transform') ?? '')?.[1] ?? 0)
  const before = { end: wide, middle: wide / 2 }[text.getAttribute('text-anchor') ?? ''] ?? 0
  return [x - before, x - before + wide]
}

it.each(documents)('names of any length stay in the charts of %s', (_, document) => {
  const { container } = render(
    <RouterContextProvider router={createRouter({ routeTree: createRootRoute() })}>
      <ChartGrid document={{ ...document, charts: named(document.charts) }} />
    </RouterContextProvider>,
  )
  expect(container.querySelector('figure svg')).not.toBeNull()
  for (const svg of container.querySelectorAll('figure svg')) {
    const width = Number(svg.getAttribute('viewBox')?.split(' ')[2])
    for (const text of svg.querySelectorAll('text')) {
      const [from, to] = extent(text)
      expect(from, text.textContent).toBeGreaterThanOrEqual(-1)
      expect(to, text.textContent).toBeLessThanOrEqual(width + 1)
    }
  }
})
