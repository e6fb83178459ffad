import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useMedia } from '../../ui/useMedia'
import type { WrittenText } from '../queries'
import { ROOM_FOR_THE_LINES } from './room'
import { useSafeMarkup } from './Written'

/** On a phone lines of 72 columns break in two: what is copied is told as it reads, by its Markdown. `text` is null where
 * there is room for the lines, or where it is not `wanted` so; `waits` until all that shows it has come. */
export function useFlowingText<K extends QueryKey>(
  markdown: UseQueryOptions<WrittenText, Error, WrittenText, K>,
  wanted: boolean,
): { readonly text: string | null; readonly waits: boolean } {
  const reads = !useMedia(ROOM_FOR_THE_LINES) && wanted
  const flowing = useQuery({ ...markdown, enabled: reads })
  const markup = useSafeMarkup(reads)
  return {
    text: reads ? (flowing.data?.text ?? null) : null,
    waits: reads && (flowing.isPending || markup === null),
  }
}
