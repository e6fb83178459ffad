/** A drawn plot as a file that opens alone: computed colours and fonts written into the marks, its words above it. */

const SVG = 'http://www.w3.org/2000/svg'
/** What decides how a mark looks; all else of a computed style is left out, and so is `opacity`: a mark is pale while
 * another one is shown, which a file does not keep. */
const PAINT = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'stroke-opacity',
  'paint-order',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'shape-rendering',
] as const
const MARGIN = 16
const LINE = 18
const SHARPNESS = 2

interface Words {
  readonly title: string
  readonly sentence: string
  readonly caption: string
}

/** The plot in `host`, an SVG or a canvas with one over it, as one SVG document. */
export function svgOf(host: HTMLElement, words: Words): SVGSVGElement {
  const width = Math.max(320, Math.round(host.clientWidth))
  const tone = getComputedStyle(host)
  const root = document.createElementNS(SVG, 'svg')
  const top = lines(words.sentence, width)
  const bottom = lines(words.caption, width)
  const head = MARGIN + 20 + top.length * LINE + 10
  const bodies = [...host.querySelectorAll('svg, canvas')].filter((e) => !e.parentElement?.closest('svg'))
  const tall = Math.max(1, Math.round(host.clientHeight))
  const height = head + tall + 10 + bottom.length * LINE + MARGIN
  const all = width + 2 * MARGIN
  for (const [name, value] of Object.entries({
    xmlns: SVG,
    width: all,
    height,
    viewBox: `0 0 ${all} ${height}`,
  }))
    root.setAttribute(name, String(value))
  const title = document.createElementNS(SVG, 'title')
  title.textContent = words.title
  root.append(title, rect(all, height, background(host)))
  const font = { 'font-family': tone.fontFamily, fill: tone.color }
  root.append(text(words.title, MARGIN, MARGIN + 14, { ...font, 'font-size': '14px', 'font-weight': '600' }))
  top.forEach((line, i) => {
    root.append(text(line, MARGIN, MARGIN + 20 + (i + 1) * LINE - 4, { ...font, 'font-size': '13px' }))
  })
  const place = host.getBoundingClientRect()
  for (const body of bodies) {
    const at = body.getBoundingClientRect()
    const inner = body instanceof HTMLCanvasElement ? imageOf(body, at) : inlined(body as SVGSVGElement, at)
    inner.setAttribute('x', String(MARGIN + at.left - place.left))
    inner.setAttribute('y', String(head + at.top - place.top))
    root.append(inner)
  }
  bottom.forEach((line, i) => {
    const y = head + tall + 10 + (i + 1) * LINE - 5
    root.append(text(line, MARGIN, y, { ...font, 'font-size': '12px', 'fill-opacity': '0.75' }))
  })
  return root
}

function inlined(svg: SVGSVGElement, at: DOMRect): Element {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const from = [svg, ...svg.querySelectorAll('*')]
  const to = [copy, ...copy.querySelectorAll('*')]
  from.forEach((element, i) => {
    const twin = to[i]
    if (!twin) return
    const style = getComputedStyle(element)
    for (const name of PAINT) {
      const value = style.getPropertyValue(name)
      if (value !== '') twin.setAttribute(name, name === 'fill' || name === 'stroke' ? paint(value) : value)
    }
    twin.removeAttribute('style')
    twin.removeAttribute('class')
  })
  for (const pointer of copy.querySelectorAll('[data-shown]')) pointer.remove()
  copy.setAttribute('width', String(at.width))
  copy.setAttribute('height', String(at.height))
  copy.setAttribute('overflow', 'visible')
  return copy
}

/** `url("#id")`, which a computed style gives with the page's address. */
const paint = (value: string) => value.replace(/url\("?[^"#)]*#([^")]+)"?\)/, 'url(#$1)')

function imageOf(canvas: HTMLCanvasElement, at: DOMRect): Element {
  const image = document.createElementNS(SVG, 'image')
  image.setAttribute('width', String(at.width))
  image.setAttribute('height', String(at.height))
  image.setAttribute('href', canvas.toDataURL('image/png'))
  return image
}

function background(element: HTMLElement): string {
  for (let e: HTMLElement | null = element; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor
    if (colour && !/^rgba\(.*, 0\)$|^transparent$/.test(colour)) return colour
  }
  return 'white'
}

function rect(width: number, height: number, fill: string): Element {
  const element = document.createElementNS(SVG, 'rect')
  for (const [name, value] of Object.entries({ width, height, fill }))
    element.setAttribute(name, String(value))
  return element
}

function text(words: string, x: number, y: number, attributes: Record<string, string>): Element {
  const element = document.createElementNS(SVG, 'text')
  for (const [name, value] of Object.entries({ x: String(x), y: String(y), ...attributes }))
    element.setAttribute(name, value)
  element.textContent = words
  return element
}

/** Words broken where they would run out of the chart, at some 6.4 px a letter. */
function lines(words: string, width: number): string[] {
  const most = Math.max(20, Math.floor(width / 6.4))
  return words.split(' ').reduce<string[]>((found, word) => {
    const last = found.at(-1)
    if (last !== undefined && last.length + word.length + 1 <= most)
      found[found.length - 1] = `${last} ${word}`
    else found.push(word)
    return found
  }, [])
}

export function saveSvg(svg: SVGSVGElement, name: string): void {
  save(new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' }), `${name}.svg`)
}

/** Drawn twice as large as on the page. A data address: the page's policy forbids images from elsewhere. */
export async function savePng(svg: SVGSVGElement, name: string): Promise<void> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = image.width * SHARPNESS
  canvas.height = image.height * SHARPNESS
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  if (blob) save(blob, `${name}.png`)
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
