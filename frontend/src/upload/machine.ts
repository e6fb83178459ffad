import type { ApiError } from '../api/client'
import type { Progress, Sent } from '../api/upload'

export interface Item {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly progress: Progress
}

/**
 * Where an upload stands. `choosing`: nothing was given. `sending`: files are looked for, hashed or sent, and what is
 * given meanwhile joins them. `asking`: something failed, and nothing goes on without the person's word. `making`: all
 * that arrived is being made a case of, or added to one, and nothing more can join; `made`: it was.
 */
export type Phase = 'choosing' | 'sending' | 'asking' | 'making' | 'made'

export interface Upload {
  readonly phase: Phase
  readonly items: readonly Item[]
  /** Drops whose folders are still being looked through. */
  readonly looking: number
  /** Why what arrived did not become a case. */
  readonly problem: ApiError | null
}

export type UploadEvent =
  | { readonly kind: 'looking' }
  | { readonly kind: 'found'; readonly files: readonly { id: number; name: string; size: number }[] }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'again' }
  | { readonly kind: 'make' }
  | { readonly kind: 'made' }
  | { readonly kind: 'refused'; readonly problem: ApiError }
  | { readonly kind: 'start over' }

export const NOTHING: Upload = { phase: 'choosing', items: [], looking: 0, problem: null }

/** Whether what is given now can still join. */
export const takesFiles = ({ phase }: Upload): boolean => phase !== 'making' && phase !== 'made'

/** What becomes of an upload by what happened. An event that has no place in a phase changes nothing. */
export function step(upload: Upload, event: UploadEvent): Upload {
  const { phase, items } = upload
  switch (event.kind) {
    case 'looking':
      return takesFiles(upload) ? { ...upload, phase: 'sending', looking: upload.looking + 1 } : upload
    case 'found': {
      const waiting = event.files.map((file) => ({ ...file, progress: { step: 'waiting' as const } }))
      return settled({ ...upload, items: [...items, ...waiting], looking: upload.looking - 1 })
    }
    case 'progress':
      return settled({ ...upload, items: withProgress(items, event.id, event.progress) })
    case 'again':
      return phase === 'asking' && items.some(mayArrive)
        ? {
            ...upload,
            phase: 'sending',
            items: items.map((item) => (mayArrive(item) ? { ...item, progress: { step: 'waiting' } } : item)),
          }
        : upload
    case 'make':
      return phase === 'asking' && items.some(arrived)
        ? { ...upload, phase: 'making', problem: null }
        : upload
    case 'made':
      return { ...upload, phase: 'made' }
    case 'refused':
      return { ...upload, phase: 'asking', problem: event.problem }
    case 'start over':
      return phase === 'asking' ? NOTHING : upload
  }
}

/** Once nothing is under way: a case of all that was given, or a question where something failed. */
function settled(upload: Upload): Upload {
  const { phase, items, looking, problem } = upload
  if (phase !== 'sending' || looking > 0 || items.some(isUnderWay)) return upload
  if (items.length === 0) return NOTHING
  return { ...upload, phase: problem === null && items.every(arrived) ? 'making' : 'asking' }
}

const withProgress = (items: readonly Item[], id: number, progress: Progress): readonly Item[] =>
  items.map((item) => (item.id === id ? { ...item, progress } : item))

export const arrived = ({ progress }: Item): boolean => progress.step === 'sent'
export const failed = ({ progress }: Item): boolean => progress.step === 'failed'
/** Failed, but not for good. */
export const mayArrive = ({ progress }: Item): boolean => progress.step === 'failed' && progress.again
const isUnderWay = (item: Item): boolean => !arrived(item) && !failed(item)

/** What a case is made of, in the order given, whichever arrived first. */
export const sentOf = ({ items }: Upload): readonly Sent[] =>
  items.flatMap(({ name, progress }) => (progress.step === 'sent' ? [{ sha256: progress.sha256, name }] : []))
