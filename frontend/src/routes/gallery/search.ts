/** What `?part=` of the gallery may be, and what it is called. */
export const PARTS = {
  darshan: 'Darshan',
  lustre: 'Darshan on Lustre',
  mpich: 'Cray MPICH',
  invented: 'Invented figures',
  comparisons: 'Comparisons',
  views: 'Files and timeline',
  states: 'Findings and states',
} as const

export type Part = keyof typeof PARTS

export function validateGallerySearch(raw: Record<string, unknown>): { part?: Part } {
  const part = (Object.keys(PARTS) as Part[]).find((id) => id === raw.part)
  return part ? { part } : {}
}
