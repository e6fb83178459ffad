import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import { askWhoAfter } from '../access/newQueries'
import { ApiError } from '../api/client'
import { isOfTheFile, nextStep, type Progress, type Sent, sendSource } from '../api/upload'
import { inOrder, nameOf } from './files'
import { NOTHING, sentOf, step, takesFiles, type Upload, type UploadEvent } from './machine'

/** At once; hashing and sending of one file overlap with those of another. */
const PARALLEL = 3

type Finish = (sent: readonly Sent[]) => Promise<void>

/** Files on their way to the server, and then `finish` with all that arrived, in the order given: once, and after a
 * failure when the person says so. */
export function useUpload(limit: number | null, finish: Finish) {
  const queries = useQueryClient()
  const [upload, setUpload] = useState(NOTHING)
  const latest = useRef({ limit, finish })
  useLayoutEffect(() => {
    latest.current = { limit, finish }
  })
  const [actions] = useState(() =>
    uploadActions(
      () => latest.current,
      setUpload,
      (error) => askWhoAfter(error, queries),
    ),
  )
  return { upload, ...actions }
}

function uploadActions(
  latest: () => { limit: number | null; finish: Finish },
  show: (upload: Upload) => void,
  /** What the server would not take, besides what is shown of it. */
  onRefused: (error: ApiError) => void,
) {
  let upload = NOTHING
  let last = 0
  const files = new Map<number, File>()
  const underWay = new Set<number>()

  const happened = (event: UploadEvent) => {
    const before = upload.phase
    upload = step(upload, event)
    show(upload)
    if (upload.phase === 'making' && before !== 'making') make()
    else sendNext()
  }

  const make = async () => {
    try {
      await latest().finish(sentOf(upload))
      happened({ kind: 'made' })
    } catch (thrown) {
      const problem = asApiError(thrown)
      onRefused(problem)
      happened({ kind: 'refused', problem })
    }
  }

  const sendNext = () => {
    for (const { id, progress } of upload.items) {
      if (underWay.size >= PARALLEL) return
      const file = files.get(id)
      if (file && progress.step === 'waiting' && !underWay.has(id)) send(id, file)
    }
  }

  const send = async (id: number, file: File) => {
    underWay.add(id)
    const end = await sendSource(file, latest().limit, (progress) =>
      happened({ kind: 'progress', id, progress }),
    ).then(
      (sent): Progress => ({ step: 'sent', ...sent }),
      (thrown) => {
        const error = asApiError(thrown)
        onRefused(error)
        return failure(error)
      },
    )
    underWay.delete(id)
    happened({ kind: 'progress', id, progress: end })
  }

  return {
    /** Files of a drop come when its folders have been looked through. */
    async add(given: Promise<readonly File[]> | readonly File[]) {
      if (!takesFiles(upload)) return
      happened({ kind: 'looking' })
      const found = inOrder(await given).map((file) => {
        last += 1
        files.set(last, file)
        return { id: last, name: nameOf(file), size: file.size }
      })
      happened({ kind: 'found', files: found })
    },
    again: () => happened({ kind: 'again' }),
    make: () => happened({ kind: 'make' }),
    startOver() {
      happened({ kind: 'start over' })
      if (upload.items.length === 0) files.clear()
    },
  }
}

function failure(error: ApiError): Progress {
  const what = `${error.title}. ${error.detail}`
  return { step: 'failed', what, next: nextStep(error), again: !isOfTheFile(error) }
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new ApiError('The upload stopped', detail, 0)
}
