import { type Links, useMarks } from './linked'
import css from './marks.module.css'

/** The bytes of one rank or target as a bar upward from `base`: writes, with reads on top. */
export function BytesUpward({
  x,
  base,
  width,
  written,
  read,
  links,
  words,
}: {
  x: number
  base: number
  width: number
  written: number
  read: number
  links: Links
  words: string
}) {
  const mark = useMarks()
  const parts = [
    { direction: 'write', from: 0, tall: written },
    { direction: 'read', from: written, tall: read },
  ] as const
  return parts.map(
    ({ direction, from, tall }) =>
      tall > 0 && (
        <rect
          key={direction}
          {...mark([...links, { kind: 'direction', id: direction }], css[direction])}
          x={x}
          y={base - from - tall}
          width={width}
          height={tall}
        >
          <title>{words}</title>
        </rect>
      ),
  )
}
