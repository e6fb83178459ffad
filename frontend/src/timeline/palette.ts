import { type RefObject, useMemo } from 'react'
import { useTheme } from '../ui/theme'
import { usePrinting } from '../ui/usePrinting'
import type { Colour } from './requests'

export type Rgb = readonly [number, number, number]

/** CSS paints for the codes of a pixel or a call, in order; the last stands for all others. */
export const PAINTS: Readonly<Record<Colour, readonly string[]>> = {
  operation: ['var(--read)', 'var(--write)', 'color-mix(in srgb, var(--read), var(--write))'],
  file: series(),
  ost: series(),
}
export const RAMP = ['var(--ramp-1)', 'var(--ramp-2)', 'var(--ramp-3)'] as const
/** Where all that is drawn are reads: they have one colour everywhere. */
export const READ_RAMP = ['var(--ramp-read-1)', 'var(--ramp-read-2)', 'var(--ramp-read-3)'] as const

function series(): string[] {
  return [...[1, 2, 3, 4, 5, 6, 7, 8].map((i) => `var(--series-${i})`), 'var(--series-rest)']
}

/** What tokens look like where the element stands, on paper in the light theme: a canvas knows no custom properties. */
export function resolved(element: Element, paints: readonly string[], onPaper = false): Rgb[] {
  const probe = document.createElement('i')
  if (onPaper) probe.style.colorScheme = 'light'
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  element.append(probe)
  const found = paints.map((paint): Rgb => {
    if (!context) return [0, 0, 0]
    probe.style.color = paint
    context.fillStyle = getComputedStyle(probe).color
    context.fillRect(0, 0, 1, 1)
    const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data
    return [r, g, b]
  })
  probe.remove()
  return found
}

/** The same, again for every theme and for paper. */
export function useColours(host: RefObject<Element | null>, paints: readonly string[]): Rgb[] {
  const theme = useTheme()
  const printing = usePrinting()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tokens are other ones in another theme
  return useMemo(
    () => resolved(host.current ?? document.body, paints, printing),
    [host, paints, theme, printing],
  )
}

export const css = ([r, g, b]: Rgb, alpha = 1): string => `rgb(${r} ${g} ${b} / ${alpha})`

/** `steps` colours from few to many, through the stops. */
export function rampOf(stops: readonly Rgb[], steps = 256): Rgb[] {
  return Array.from({ length: steps }, (_, i) => {
    const at = (i / (steps - 1)) * (stops.length - 1)
    const low = Math.min(stops.length - 2, Math.floor(at))
    const [a, b] = [stops[low] ?? [0, 0, 0], stops[low + 1] ?? [0, 0, 0]]
    const mix = (n: 0 | 1 | 2) => Math.round(a[n] + (b[n] - a[n]) * (at - low))
    return [mix(0), mix(1), mix(2)]
  })
}
