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

const documents: readonly (readonly [string, CaseDocument])[] = [
  ['a large job', largeJob],
  ...DARSHAN_FIXTURES,
  ...LUSTRE_FIXTURES,
  ...MPICH_FIXTURES,
]

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
      const said = [...text.childNodes].filter((node) => node.nodeName !== 'title')
      const words = said.map((node) => node.textContent).join('')
      expect(textWidth(words), words).toBeLessThanOrEqual(width)
    }
  }
})
