import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useVisibleRows } from './useVisibleRows'

const ROW = 20
const SEEN = 10 * ROW

function List({ total, height = ROW }: { total: number; height?: number }) {
  const sight = useVisibleRows({ total, height, beyond: 2, heads: ROW })
  return (
    <section ref={sight.box}>
      <output>{`${sight.before}..${sight.rows[0]}-${sight.rows.at(-1)}..${sight.after}`}</output>
      <button type="button" onClick={() => sight.show(99)}>
        the last
      </button>
      <button type="button" onClick={() => sight.show(40, true)}>
        to the top
      </button>
      <button type="button" onClick={() => sight.show(3)}>
        back
      </button>
    </section>
  )
}

// jsdom lays nothing out.
beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(SEEN)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const shown = () => screen.getByRole('status').textContent
const scrollTo = (top: number) =>
  act(() => {
    const box = screen.getByRole('status').parentElement
    if (box) box.scrollTop = top
    box?.dispatchEvent(new Event('scroll'))
  })
const press = (name: string) => {
  act(() => screen.getByRole('button', { name }).click())
  const top = screen.getByRole('status').parentElement?.scrollTop ?? Number.NaN
  scrollTo(top)
  return top
}

describe('of many rows', () => {
  it('those in sight are drawn, and some beyond; the others keep their room', () => {
    render(<List total={100} />)
    expect(shown()).toBe('0..0-12..1740')
    scrollTo(50 * ROW + 7)
    expect(shown()).toBe('960..48-62..740')
    scrollTo(90 * ROW)
    expect(shown()).toBe('1740..87-99..0')
  })

  it('the last stay in sight where fewer are left, or none', () => {
    const { rerender } = render(<List total={100} />)
    scrollTo(80 * ROW)
    rerender(<List total={30} />)
    expect(shown()).toBe('340..17-29..0')
    rerender(<List total={0} />)
    expect(shown()).toBe('0..undefined-undefined..0')
  })

  it('others are in sight where each is higher', () => {
    const { rerender } = render(<List total={100} />)
    scrollTo(40 * ROW)
    rerender(<List total={100} height={2 * ROW} />)
    expect(shown()).toBe('720..18-27..2880')
  })

  it('one is shown below what stays at the top, and no further than it must', () => {
    render(<List total={100} />)
    expect(press('the last')).toBe(101 * ROW - SEEN)
    expect(press('the last')).toBe(101 * ROW - SEEN)
    expect(press('back')).toBe(3 * ROW)
    expect(press('to the top')).toBe(40 * ROW)
  })
})
