const HOUR = 3_600_000

/** How long ago, as a queue has it: "40 min", "19 h", "2 d 4 h". */
export function ageOf(iso: string, now: number = Date.now()): string {
  const passed = Math.max(0, now - new Date(iso).getTime())
  const hours = Math.floor(passed / HOUR)
  if (passed < 60_000) return '< 1 min'
  if (hours < 1) return `${Math.floor(passed / 60_000)} min`
  if (hours < 24) return `${hours} h`
  const rest = hours % 24
  return `${Math.floor(hours / 24)} d${rest > 0 ? ` ${rest} h` : ''}`
}

/** Two days, after which a person has waited long. */
export const waitsLong = (iso: string, now: number = Date.now()): boolean =>
  now - new Date(iso).getTime() > 48 * HOUR
