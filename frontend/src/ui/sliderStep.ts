const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** By how many steps a key moves a slider: `far` for a page key, without limit for Home and End; null for other keys
 * (https://www.w3.org/WAI/ARIA/apg/patterns/slider/). */
export function sliderStep(key: string, far: number): number | null {
  if (key === 'PageUp') return far
  if (key === 'PageDown') return -far
  return STEPS[key] ?? null
}
