import { useEffect, useState } from 'react'

/** How long typing rests before the server is asked. */
export const TYPED_MS = 250

/** The value once it has stayed as it is for so long: what is still typed or dragged is not worth a question. */
export function useDebounced<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return rested
}
