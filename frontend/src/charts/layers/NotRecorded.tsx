import { SECOND_LINE } from './stack'

/** In the place of a bar whose length no source states. */
export function NotRecorded({ width, hatch, under }: { width: number; hatch: string; under: string }) {
  return (
    <>
      <rect
        x={0.5}
        y={8.5}
        width={width - 5}
        height={19}
        style={{ fill: hatch, stroke: 'var(--line-strong)' }}
      />
      <text y={SECOND_LINE}>{under}</text>
    </>
  )
}
