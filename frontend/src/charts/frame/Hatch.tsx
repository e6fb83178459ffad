/** A slanted hatch as a paint: for what is missing, waiting or independent, so that colour never speaks alone. */
export function Hatch({
  id,
  colour,
  stroke = 1.6,
  gap = 5,
}: {
  id: string
  colour: string
  stroke?: number
  gap?: number
}) {
  return (
    <pattern id={id} width={gap} height={gap} patternUnits="userSpaceOnUse" patternTransform="rotate(25)">
      <rect width={stroke} height={gap} style={{ fill: colour }} />
    </pattern>
  )
}
