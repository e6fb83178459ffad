import { type RefObject, useLayoutEffect } from 'react'
import type { Box } from '../box'

export interface Dimensions {
  readonly width: number
  readonly height: number
}

export type Paint = (context: CanvasRenderingContext2D, box: Box, size: Dimensions) => void

/** Paints the window whenever it differs, at the resolution of the screen. */
export function useCanvas(
  canvas: RefObject<HTMLCanvasElement | null>,
  paint: Paint,
  box: Box,
  width: number,
  height: number,
) {
  useLayoutEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context) return
    const scale = globalThis.devicePixelRatio || 1
    if (element.width !== Math.round(width * scale)) element.width = Math.round(width * scale)
    if (element.height !== Math.round(height * scale)) element.height = Math.round(height * scale)
    context.setTransform(scale, 0, 0, scale, 0, 0)
    context.clearRect(0, 0, width, height)
    paint(context, box, { width, height })
  }, [canvas, paint, box, width, height])
}
