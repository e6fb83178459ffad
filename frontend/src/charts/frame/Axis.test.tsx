import { render } from '@testing-library/react'
import { scaleLinear } from 'd3-scale'
import type { ReactElement } from 'react'
import { describe, expect, it } from 'vitest'
import { Axis } from './Axis'
import css from './marks.module.css'
import { rankTicks } from './rankTicks'

const draw = (axis: ReactElement) => {
  const { container } = render(
    <svg>
      <title>An axis</title>
      {axis}
    </svg>,
  )
  const all = (name: string) => [...container.querySelectorAll(name)]
  const of = (element: Element, ...names: string[]) => names.map((name) => Number(element.getAttribute(name)))
  return {
    words: all('text').map((text) => text.textContent),
    textsAt: all('text').map((text) => of(text, 'x', 'y')),
    lines: all('line').map((line) => [line.getAttribute('class'), ...of(line, 'x1', 'y1', 'x2', 'y2')]),
  }
}
const scale = scaleLinear([0, 10], [0, 100])
const ticks = [0, 5, 10].map((at) => ({ at, words: String(at) }))

describe('an axis', () => {
  it('draws a line across the plot at each tick, that of the origin as an axis', () => {
    const { lines } = draw(<Axis side="bottom" edge={40} scale={scale} ticks={ticks} grid={[0, 40]} />)
    expect(lines).toEqual([
      [css.axis, 0, 0, 0, 40],
      [css.grid, 50, 0, 50, 40],
      [css.grid, 100, 0, 100, 40],
    ])
  })
  it('keeps its words in the room they have', () => {
    const { textsAt } = draw(<Axis side="bottom" edge={40} scale={scale} ticks={ticks} room={[0, 100]} />)
    const [[first = 0], , [last = 0]] = textsAt as [number[], number[], number[]]
    expect(first).toBeGreaterThan(0)
    expect(last).toBeLessThan(100)
    expect(textsAt[1]).toEqual([50, 54])
  })
  it('says as many of its words as stand apart, evenly, and keeps every line', () => {
    const many = [0, 2, 4, 6, 8, 10].map((at) => ({ at, words: `${at * 10} %` }))
    const narrow = scaleLinear([0, 10], [0, 120])
    const { words, lines } = draw(<Axis side="bottom" edge={40} scale={narrow} ticks={many} grid={[0, 40]} />)
    expect(words).toEqual(['0 %', '40 %', '80 %'])
    expect(lines).toHaveLength(many.length)
    const wide = scaleLinear([0, 10], [0, 400])
    expect(draw(<Axis side="bottom" edge={40} scale={wide} ticks={many} />).words).toHaveLength(many.length)
  })
  it('says the words that stand apart, from whichever end they are given', () => {
    const back = [10, 5, 0].map((at) => ({ at, words: `${at} Nov` }))
    const wide = scaleLinear([0, 10], [0, 200])
    const narrow = scaleLinear([0, 10], [0, 60])
    const words = (x: typeof wide) => draw(<Axis side="bottom" edge={40} scale={x} ticks={back} />).words
    expect(words(wide)).toEqual(['10 Nov', '5 Nov', '0 Nov'])
    expect(words(narrow)).toEqual(['10 Nov', '0 Nov'])
  })
  it('says as many of its words as stand apart one below the other', () => {
    const many = [0, 1, 2, 3, 4].map((at) => ({ at, words: `${at}` }))
    expect(draw(<Axis side="left" edge={30} scale={scale} ticks={many} />).words).toEqual(['0', '2', '4'])
  })
  it('stands on the left with its words before it, its own line and its name', () => {
    const drawn = draw(
      <Axis
        side="left"
        edge={30}
        scale={scale}
        ticks={[
          { at: 0, words: '' },
          { at: 5, words: '5' },
        ]}
        line={[0, 100]}
        marks
        name={{ words: 'calls', x: 0, y: 11 }}
      />,
    )
    expect(drawn.words).toEqual(['5', 'calls'])
    expect(drawn.textsAt).toEqual([
      [24, 54],
      [0, 11],
    ])
    expect(drawn.lines.at(-1)).toEqual([css.axis, 30, 0, 30, 100])
    expect(drawn.lines.slice(0, 2)).toEqual([
      [css.axis, 26, 0, 30, 0],
      [css.axis, 26, 50, 30, 50],
    ])
  })
})

describe('ticks of ranks', () => {
  const at = (ranks: number) => rankTicks(ranks, 4).map((tick) => tick.at)
  it('are round, and the last rank is one', () => {
    expect(at(256)).toEqual([0, 50, 100, 150, 200, 255])
    expect(at(768)).toEqual([0, 200, 400, 600, 767])
    expect(at(9)).toEqual([0, 2, 4, 6, 8])
    expect(at(5)).toEqual([0, 1, 2, 3, 4])
    expect(at(3)).toEqual([0, 1, 2])
    expect(at(1)).toEqual([0])
  })
})
