import { useCallback, useRef, useState } from 'react'
import { ApiError } from '../api/client'
import { isOfTheFile, nextStep, type Progress, type Sent, sendSource } from '../api/upload'

export interface Item {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly progress: Progress
}

interface Waiting {
  readonly id: number
  readonly file: File
}

/** At once; hashing and sending of one file overlap with those of another. */
const PARALLEL = 3

/**
 * Files on their way to the server, and then `finish` with all that arrived, in the order given. A file that fails does not stop the
 * others: then nothing is finished until the person says so.
 */
export function useUpload(limit: number | null, finish: (sent: readonly Sent[]) => Promise<void>) {
  const [items, setItems] = useState<readonly Item[]>([])
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiError | null>(null)
  const files = useRef(new Map<number, File>())
  const sent = useRef(new Map<number, Sent>())
  const last = useRef(0)

  const report = useCallback((id: number, progress: Progress) => {
    setItems((old) => old.map((item) => (item.id === id ? { ...item, progress } : item)))
  }, [])

  const end = useCallback(async () => {
    setProblem(null)
    setBusy(true)
    try {
      await finish(inOrder(sent.current))
    } catch (error) {
      setProblem(asApiError(error))
      setBusy(false)
    }
  }, [finish])

  const run = useCallback(
    async (queue: Waiting[]) => {
      setBusy(true)
      let failed = false
      const one = async ({ id, file }: Waiting) => {
        try {
          sent.current.set(id, await sendSource(file, limit, (progress) => report(id, progress)))
        } catch (thrown) {
          failed = true
          const error = asApiError(thrown)
          const what = `${error.title}. ${error.detail}`
          report(id, { step: 'failed', what, next: nextStep(error), again: !isOfTheFile(error) })
        }
      }
      const lane = async () => {
        for (let next = queue.shift(); next; next = queue.shift()) await one(next)
      }
      await Promise.all(Array.from({ length: PARALLEL }, lane))
      if (failed) setBusy(false)
      else await end()
    },
    [limit, report, end],
  )

  const add = useCallback(
    (given: readonly File[]) => {
      if (given.length === 0) return
      const queue = given.map((file) => {
        last.current += 1
        files.current.set(last.current, file)
        return { id: last.current, file }
      })
      setItems((old) => [
        ...old,
        ...queue.map(({ id, file }) => ({
          id,
          name: file.name,
          size: file.size,
          progress: { step: 'waiting' as const },
        })),
      ])
      run(queue)
    },
    [run],
  )

  const again = useCallback(() => {
    const queue = items.flatMap(({ id, progress }) => {
      const file = files.current.get(id)
      return progress.step === 'failed' && progress.again && file ? [{ id, file }] : []
    })
    run(queue)
  }, [items, run])

  const clear = useCallback(() => {
    files.current.clear()
    sent.current.clear()
    setItems([])
    setProblem(null)
    setBusy(false)
  }, [])

  return { items, busy, problem, add, again, finishWithout: end, clear }
}

/** As they were given, whichever arrived first: the order of a case's sources is that of the person's files. */
const inOrder = (sent: ReadonlyMap<number, Sent>): readonly Sent[] =>
  [...sent].sort(([a], [b]) => a - b).map(([, one]) => one)

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new ApiError('The upload stopped', detail, 0)
}
