import type { components } from '../api/schema'

type Packed = components['schemas']['Packed']

/** What holds numbers of each type. */
export const ARRAYS = {
  float64: Float64Array,
  float32: Float32Array,
  uint8: Uint8Array,
  uint32: Uint32Array,
} as const

/** Numbers in bulk, as the server packs them: base64 of little-endian bytes. */
export function unpack({ type, data }: Packed): Float64Array | Float32Array | Uint8Array | Uint32Array {
  const text = atob(data)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return new ARRAYS[type](bytes.buffer)
}
