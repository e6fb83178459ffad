import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

type Linear = readonly [number, number, number]

const CSS = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const THEMES = ['light', 'dark'] as const
const SURFACES = ['bg', 'bg-sunken', 'bg-raised', 'bg-hover', 'bg-select']
const SEVERITIES = ['high', 'medium', 'low', 'info', 'clear', 'unknown']
const DATA = ['read', 'write', 'metadata', 'waiting', 'collective', 'independent']
const SERIES = [...CSS.matchAll(/--(series-\w+):/g)].map(([, name = '']) => name)

/** How somebody sees a colour who lacks one kind of cone: Machado, Oliveira and Fernandes 2009, severity 1.
 * https://doi.org/10.1109/TVCG.2009.113 */
const SEEN = {
  'all colours': [1, 0, 0, 0, 1, 0, 0, 0, 1],
  'no red': [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  'no green': [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  'no blue': [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const

/** CIE76 difference that is seen at a glance in marks of a few pixels; 2 is what is just seen side by side. */
const APART = 20

function token(name: string, theme: (typeof THEMES)[number]): Linear {
  const found = new RegExp(`--${name}: light-dark\\(#(\\w{6}), #(\\w{6})\\)`).exec(CSS)
  const hex = found?.[theme === 'light' ? 1 : 2]
  if (hex === undefined) throw new Error(`no colour --${name}`)
  const channel = (at: number) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return [channel(0), channel(2), channel(4)]
}

const luminance = ([r, g, b]: Linear) => 0.2126 * r + 0.7152 * g + 0.0722 * b

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(a: Linear, b: Linear): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** In CIELAB, as these eyes see it. */
function lab([r, g, b]: Linear, by: readonly number[]): Linear {
  const seen = (row: number) =>
    Math.min(1, Math.max(0, (by[row] ?? 0) * r + (by[row + 1] ?? 0) * g + (by[row + 2] ?? 0) * b))
  const [red, green, blue] = [seen(0), seen(3), seen(6)]
  const root = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116)
  const x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047)
  const y = root(luminance([red, green, blue]))
  const z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

/** Of every mark, on the ground where it is seen worst. */
function faint(marks: readonly string[], grounds: readonly string[], least: number): string[] {
  return THEMES.flatMap((theme) =>
    marks.flatMap((mark) =>
      grounds
        .map((ground) => ({ ground, ratio: contrast(token(mark, theme), token(ground, theme)) }))
        .filter(({ ratio }) => ratio < least)
        .map(({ ground, ratio }) => `${mark} on ${ground}, ${theme}: ${ratio.toFixed(2)}`),
    ),
  )
}

describe('the colours', () => {
  it('of texts can be read on every surface', () => {
    expect(faint(['text', 'text-2', 'text-3', 'accent', ...SEVERITIES], SURFACES, 4.5)).toEqual([])
  })

  it('of marks and of the edges of fields are seen', () => {
    expect(faint([...DATA, ...SERIES], ['bg', 'bg-sunken', 'bg-raised', 'ramp-0'], 3)).toEqual([])
    expect(faint(['field'], SURFACES, 3)).toEqual([])
  })

  it.each(THEMES)('of series are told apart by whoever lacks one kind of cone, %s', (theme) => {
    expect(SERIES).toHaveLength(9)
    const close = Object.entries(SEEN).flatMap(([eyes, by]) =>
      SERIES.flatMap((one, i) =>
        SERIES.slice(i + 1).flatMap((other) => {
          const [a, b] = [lab(token(one, theme), by), lab(token(other, theme), by)]
          const apart = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
          return apart < APART ? [`${one} and ${other}, ${eyes}: ${apart.toFixed(0)}`] : []
        }),
      ),
    )
    expect(close).toEqual([])
  })
})
