import { act, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'
import { describe, expect, it } from 'vitest'
import type { CaseDocument } from '../../analysis/caseDocument'
import { aboutOf } from '../../findings/about'
import { CauseRows } from '../../findings/FindingRow'
import { sortFindings } from '../../findings/keys'
import { independentSmall, slowOst, tunedRun } from '../../fixtures/documents'
import { FixtureCase } from '../../fixtures/FixtureCase'
import { CHARTS } from '../all'
import { HighlightStatus } from './HighlightStatus'
import { type Link, LinkedProvider, type Links } from './linked'
import { linkIn, linkInAddress } from './linkInAddress'

const figureOf = (id: string) => {
  const chart = CHARTS.find((one) => one.id === id)
  if (!chart) throw new Error(`No chart ${id}`)
  return chart.Drawing
}

/** Keeps what is pressed and whether all is to be seen, as the address does. */
function Kept({ opened, children }: { opened: Links; children: ReactNode }) {
  const [{ pressed, all }, keep] = useState<{ pressed: Link | null; all: boolean }>({
    pressed: null,
    all: false,
  })
  return (
    <LinkedProvider
      opened={opened}
      pressed={pressed}
      all={all}
      onPress={(link) => keep((old) => ({ ...old, pressed: link }))}
      onShowAll={() => keep({ pressed: null, all: true })}
    >
      {children}
    </LinkedProvider>
  )
}

/** The findings of a document above some of its charts, as a case shows them. */
function draw(document: CaseDocument, charts: readonly string[], opened: Links = []) {
  const figures = charts.map((id) => [id, figureOf(id)] as const)
  return render(
    <Kept opened={opened}>
      <FixtureCase document={document}>
        {sortFindings(document.findings).causes.map((cause) => (
          <CauseRows key={cause.finding.rule} cause={cause} />
        ))}
      </FixtureCase>
      <HighlightStatus document={document} />
      {figures.map(([id, Drawing]) => (
        <Drawing key={id} document={document} />
      ))}
    </Kept>,
  ).container
}
const pale = (root: Element) => root.querySelectorAll('[class*="faded"], [class*="behind"]').length
const now = () => document.querySelector('p.now > span')?.textContent?.replaceAll('\u202f', ' ')
const summaryOf = (rule: string) =>
  screen.getByText(rule, { selector: 'summary *' }).closest('summary') as HTMLElement

describe('a finding', () => {
  it('shows the OST it is about while its line has the focus, and all of them when it has not', () => {
    const container = draw(slowOst, ['ost-use'])
    const osts = slowOst.charts.osts[0]?.osts.length ?? 0
    act(() => summaryOf('slow-ost').focus())
    expect(now()).toBe('In every chart: OST 5')
    // Of each, its bytes and its seconds.
    expect(pale(container)).toBe(2 * (osts - 1))
    act(() => summaryOf('slow-ost').blur())
    expect(pale(container)).toBe(0)
  })
  it('shows its rank in the columns of ranks', () => {
    const container = draw(slowOst, ['rank-use'])
    fireEvent.pointerEnter(summaryOf('straggler-rank'))
    expect(now()).toBe('In every chart: rank 145')
    const bright = [...container.querySelectorAll('figure rect')].filter(
      (mark) => mark.classList.contains('mark') && !mark.classList.contains('faded'),
    )
    expect(bright.length).toBeGreaterThan(0)
    for (const mark of bright) expect(mark.textContent).toMatch(/ranks 144 to 145:/)
  })
  it('is marked while a chart points at what it is about, and by no other finding', () => {
    draw(slowOst, ['ost-use'])
    const marked = () => [...document.querySelectorAll('details.linked')].map((one) => one.id)
    const name = screen.getByRole('button', { name: 'OST 5, the slowest' })
    act(() => name.focus())
    expect(marked()).toEqual(['f-slow-ost-g1'])
    act(() => name.blur())
    act(() => summaryOf('slow-ost').focus())
    expect(marked()).toEqual([])
  })
})

describe('what stays', () => {
  const [first] = sortFindings(slowOst.findings).causes
  const opened = first ? aboutOf(first.finding, slowOst) : []
  it('is what the opened finding is about, until everything is asked for', () => {
    const container = draw(slowOst, ['ost-use'], opened)
    expect(pale(container)).toBeGreaterThan(0)
    const all = screen.getByRole('button', { name: 'Show everything' })
    all.focus()
    fireEvent.click(all)
    expect(pale(container)).toBe(0)
    expect(document.activeElement).toBe(all)
    expect(all.getAttribute('aria-disabled')).toBe('true')
  })
  it('is paler than what is pointed at, and the others can still be read', () => {
    const container = draw(slowOst, ['ost-use'])
    const name = screen.getByRole('button', { name: 'OST 5, the slowest' })
    fireEvent.click(name)
    expect(name.getAttribute('aria-pressed')).toBe('true')
    expect(container.querySelectorAll('[class*="behind"]').length).toBeGreaterThan(0)
    expect(container.querySelectorAll('[class*="faded"]')).toHaveLength(0)
  })
  it('gives way to a name that is pressed, and comes back with it', () => {
    draw(slowOst, ['ost-use', 'time-use'], opened)
    const name = screen.getByRole('button', { name: 'rank 145, the slowest' })
    fireEvent.click(name)
    expect(now()).toBe('In every chart: rank 145')
    fireEvent.click(name)
    expect(now()).toBe('In every chart: OST 5')
  })
})

describe('what is pressed', () => {
  it.each<[string, Link]>([
    ['rank.145', { kind: 'rank', id: 145 }],
    ['rank.0-127', { kind: 'rank', id: 0, last: 127 }],
    ['ost.5', { kind: 'ost', id: 5 }],
    ['group.g12', { kind: 'group', id: 'g12' }],
    ['direction.write', { kind: 'direction', id: 'write' }],
    ['time.0.25', { kind: 'time', id: 0.25 }],
  ])('is %s in the address, and read from there', (text, link) => {
    expect(linkInAddress(link)).toBe(text)
    expect(linkIn(text)).toEqual(link)
  })
  it.each([undefined, 'rank', 'rank.x', 'rank.7-', 'ost.1.5', 'direction.up', 'time.', 'nothing.1'])(
    'is nothing where the address has %s',
    (text) => {
      expect(linkIn(text)).toBeNull()
    },
  )
})

describe('time', () => {
  it('is one line in every chart that has it, from the keyboard too', () => {
    const container = draw(tunedRun, ['run-timeline', 'rank-time'])
    const lines = () => container.querySelectorAll('[data-shown="time"]').length
    const panels = container.querySelectorAll('figure').length
    expect(lines()).toBe(0)
    const name = screen.getByRole('button', { name: /when most is moved$/ })
    act(() => name.focus())
    expect(lines()).toBeGreaterThanOrEqual(panels)
    act(() => name.blur())
    expect(lines()).toBe(0)
  })
  it('is that of the run also where a heatmap is of a later step, whose axis has its own', () => {
    const { activity } = tunedRun.charts
    if (!activity) throw new Error('The fixture has no activity')
    const later = {
      ...tunedRun,
      charts: {
        ...tunedRun.charts,
        activity: {
          ...activity,
          run_s: 100,
          grids: activity.grids.map((grid) => ({ ...grid, after_s: 60 })),
        },
      },
    }
    const container = draw(later, ['run-timeline', 'rank-time'])
    act(() => screen.getByRole('button', { name: /when most is moved$/ }).focus())
    const [ofRun, ofStep] = [...container.querySelectorAll('[data-shown="time"] text')].map((one) =>
      Number.parseFloat(one.textContent ?? ''),
    )
    expect((ofRun ?? 0) - (ofStep ?? 0)).toBeCloseTo(60, 0)
    expect(screen.getByText(/Time from the start of its log, 60.0\ss after the first\./)).toBeInTheDocument()
  })
  it('comes with the rank under the pointer', () => {
    const container = draw(independentSmall, ['rank-time', 'rank-use'])
    const row = container.querySelector('figure rect.over')
    if (!row) throw new Error('The heatmap has no rows')
    fireEvent.pointerMove(row, { clientX: 40 })
    expect(now()).toMatch(/^In every chart: rank \d+$/)
    expect(container.querySelectorAll('[data-shown="time"]').length).toBeGreaterThan(0)
    expect(pale(container)).toBeGreaterThan(0)
    fireEvent.pointerLeave(row)
    expect(pale(container)).toBe(0)
  })
  it('keeps letters readable that are set into a mark which grows pale', () => {
    const { container } = render(
      <LinkedProvider pressed={{ kind: 'direction', id: 'read' }}>
        {['collective-split', 'layer-stack'].map((id) => {
          const Drawing = figureOf(id)
          return <Drawing key={id} document={tunedRun} />
        })}
      </LinkedProvider>,
    )
    const letters = [...container.querySelectorAll('text.inside')]
    expect(letters.length).toBeGreaterThan(0)
    for (const text of letters) {
      const mark = text.parentElement?.querySelector('rect.mark')
      if (mark)
        expect(text.classList.contains('behind'), text.textContent ?? '').toBe(
          mark.classList.contains('behind'),
        )
    }
    expect(letters.some((text) => text.classList.contains('behind'))).toBe(true)
  })
})

describe('what a chart has', () => {
  it('has its name below it, of many the first and how many more', async () => {
    draw(independentSmall, ['aggregating'])
    const names = () => screen.getAllByRole('button', { name: /^rank \d+$/ }).map((one) => one.textContent)
    expect(names()).toEqual(['rank 0', 'rank 1', 'rank 2', 'rank 3'])
    await userEvent.click(screen.getByRole('button', { name: '4 more' }))
    expect(names().at(-1)).toBe('rank 7')
    await userEvent.click(screen.getByRole('button', { name: 'fewer' }))
    expect(names()).toHaveLength(4)
  })
})
