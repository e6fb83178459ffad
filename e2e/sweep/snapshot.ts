import type { Page } from '@playwright/test'

/** In CSS pixels of the page, from its top left. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export type Rgb = readonly [number, number, number]

/** A line of text as it was set. */
export interface TextLine {
  readonly text: string
  readonly box: Box
  /** Lines of one text have one number; its own lines never lie over each other. */
  readonly of: number
  /** What cuts it off: the nearest edges of ancestors that hide what is beyond them. */
  readonly cutBy: Box | null
  /** What can be scrolled to bring the rest of it into sight. */
  readonly scrolledBy: Box | null
  /** The block, or the drawing, that it must stay in. */
  readonly home: Box
  readonly drawn: boolean
  /** Ends in an ellipsis that the browser made. */
  readonly cut: boolean
  /** The whole of it is said on hover. */
  readonly told: boolean
  readonly sizePx: number
  readonly bold: boolean
  /** In each theme that was asked for. */
  readonly painted: readonly Painted[]
  readonly where: string
}

/** What somebody wrote into a field, or chose, or could yet write. */
export type FieldText = Pick<TextLine, 'text' | 'sizePx' | 'bold' | 'painted' | 'where'>

export interface Painted {
  readonly theme: Theme
  readonly colour: Rgb
  /** Null where a picture or a gradient lies behind it. */
  readonly behind: Rgb | null
}

export type Theme = 'light' | 'dark'

/** What is read as one: the text of a block, with evidence and code left out. */
interface Passage {
  readonly text: string
  readonly where: string
}

export interface Snapshot {
  readonly lines: readonly TextLine[]
  readonly fields: readonly FieldText[]
  readonly passages: readonly Passage[]
  /** What holds nothing: where it is, and what it is. */
  readonly empty: readonly string[]
  /** Pixels by which the page must be scrolled sideways. */
  readonly sideways: number
  /** Tables and lists of which a part is beyond their edge, without anything that says so. */
  readonly uncued: readonly string[]
  /** Texts in which a font may draw other signs than were written. */
  readonly redrawn: readonly string[]
  /** Lines that begin with what belongs between two things. */
  readonly separated: readonly string[]
  /** What looks as if it could be pressed, chosen or written into. */
  readonly controls: readonly string[]
}

/** Runs in the page, and so holds everything it needs. Themes differ in colours alone: a page is measured once, and its
 * colours are asked for in each. As JSON: Playwright takes longer to carry objects over than the page to measure them. */
function takeSnapshot(themes: readonly Theme[]): string {
  type Clips = { cutBy: Box | null; scrolledBy: Box | null; visible: boolean; opacity: number }
  const EVERYWHERE: Box = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 }
  const INLINE = new Set(['inline', 'contents', 'ruby'])
  const MONO = /JetBrains|monospace/i
  const SAYS_MORE = /(auto|scroll)/
  /** Arrows, comparisons and "4x4" become other glyphs where a font has its way. */
  const REDRAWN = /[-=<>!|&:/*]{2}|\dx\d|www/

  const inPage = (rect: DOMRect): Box => ({
    left: rect.left + scrollX,
    top: rect.top + scrollY,
    right: rect.right + scrollX,
    bottom: rect.bottom + scrollY,
  })
  const meet = (a: Box | null, b: Box): Box => {
    const one = a ?? EVERYWHERE
    return {
      left: Math.max(one.left, b.left),
      top: Math.max(one.top, b.top),
      right: Math.min(one.right, b.right),
      bottom: Math.min(one.bottom, b.bottom),
    }
  }
  const styles = new Map<Element, CSSStyleDeclaration>()
  const styleOf = (element: Element): CSSStyleDeclaration => {
    const known = styles.get(element) ?? getComputedStyle(element)
    styles.set(element, known)
    return known
  }

  /** "section#findings > div.row > td" of CSS modules' names without their hashes. */
  const nameOf = (element: Element): string => {
    const path: string[] = []
    for (
      let at: Element | null = element;
      at && at !== document.body && path.length < 4;
      at = at.parentElement
    ) {
      const [first = ''] = (at.getAttribute('class') ?? '').split(' ')
      const shown = at.id ? `#${at.id}` : first && `.${first.replace(/^_|_[\w-]{5,}(_\d+)?$/g, '')}`
      path.unshift(at.tagName.toLowerCase() + shown)
    }
    return path.join(' > ')
  }

  const clips = new Map<Element, Clips>()
  const ROOT: Clips = { cutBy: null, scrolledBy: null, visible: true, opacity: 1 }
  /** What ancestors do to what stands in an element, itself among them. */
  function clipsOf(element: Element): Clips {
    const known = clips.get(element)
    if (known) return known
    const above = element.parentElement ? clipsOf(element.parentElement) : ROOT
    const style = styleOf(element)
    const hidden = /inset\((4|5)\d%\)/.test(style.clipPath) || style.display === 'none'
    let { cutBy, scrolledBy } = above
    const bounds = style.overflowX !== 'visible' || style.overflowY !== 'visible'
    if (bounds && element !== document.documentElement && element !== document.body) {
      const box = inPage(element.getBoundingClientRect())
      const sides = (of: 'x' | 'y'): Box =>
        of === 'x'
          ? { ...EVERYWHERE, left: box.left, right: box.right }
          : { ...EVERYWHERE, top: box.top, bottom: box.bottom }
      for (const of of ['x', 'y'] as const) {
        const overflow = of === 'x' ? style.overflowX : style.overflowY
        if (style.position === 'fixed' || style.display === 'inline') continue
        if (overflow === 'hidden' || overflow === 'clip') cutBy = meet(cutBy, sides(of))
        if (SAYS_MORE.test(overflow)) scrolledBy = meet(scrolledBy, sides(of))
      }
    }
    const made = {
      cutBy,
      scrolledBy,
      visible: above.visible && !hidden,
      opacity: above.opacity * Number(style.opacity),
    }
    clips.set(element, made)
    return made
  }

  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const colours = new Map<string, readonly [number, number, number, number]>()
  /** Any CSS colour as the screen has it; the last is its opacity from 0 to 1. */
  function colourOf(css: string): readonly [number, number, number, number] {
    const known = colours.get(css)
    if (known) return known
    if (!canvas) return [0, 0, 0, 0]
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = '#000'
    canvas.fillStyle = css
    canvas.fillRect(0, 0, 1, 1)
    const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data
    const colour = [r, g, b, a / 255] as const
    colours.set(css, colour)
    return colour
  }
  const over = (top: readonly [number, number, number, number], opacity: number, under: Rgb): Rgb => {
    const a = top[3] * opacity
    return [0, 1, 2].map((i) => (top[i] ?? 0) * a + (under[i] ?? 0) * (1 - a)) as unknown as Rgb
  }
  /** Pictures of some pixels that are set once, as the arrow of a list to choose from. */
  const isBesideText = ({ backgroundRepeat, backgroundSize }: CSSStyleDeclaration): boolean =>
    backgroundRepeat.split(', ').every((repeat) => repeat === 'no-repeat') &&
    backgroundSize.split(', ').every((size) => size.split(' ').every((side) => Number.parseFloat(side) < 16))
  const grounds = new Map<Element, Rgb | null>()
  /** What is painted behind what stands in an element. */
  function groundOf(element: Element): Rgb | null {
    const known = grounds.get(element)
    if (known !== undefined) return known
    const above = element.parentElement ? groundOf(element.parentElement) : ([255, 255, 255] as const)
    const style = styleOf(element)
    const pictured =
      style.backgroundImage !== 'none' &&
      !isBesideText(style) &&
      !style.backgroundAttachment.includes('local') &&
      !/^(svg|g)$/i.test(element.tagName)
    const made = above === null || pictured ? null : over(colourOf(style.backgroundColor), 1, above)
    grounds.set(element, made)
    return made
  }

  const shapes = new Map<SVGSVGElement, readonly (Box & { shape: SVGGeometryElement })[]>()
  function shapesOf(svg: SVGSVGElement) {
    const known = shapes.get(svg)
    if (known) return known
    const all = svg.querySelectorAll<SVGGeometryElement>('rect,path,circle,ellipse,polygon')
    const made = [...all].map((shape) => {
      const { left, right, top, bottom } = shape.getBoundingClientRect()
      return { shape, left, right, top, bottom }
    })
    shapes.set(svg, made)
    return made
  }

  /** The shapes of a drawing that lie under the middle of a text of it, the lowest first. */
  function shapesBehind(text: SVGElement, svg: SVGSVGElement): readonly SVGGeometryElement[] {
    const box = text.getBoundingClientRect()
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
    const found: SVGGeometryElement[] = []
    for (const { shape, left, right, top, bottom } of shapesOf(svg)) {
      if (x < left || x > right || y < top || y > bottom) continue
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue
      const { fill, visibility } = styleOf(shape)
      if (fill === 'none' || visibility === 'hidden') continue
      if (fill.startsWith('url')) continue
      const matrix = shape.getScreenCTM()
      if (matrix && shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse())))
        found.push(shape)
    }
    return found
  }

  /** What is drawn below a text of a drawing, in the theme that stands: its halo, else the shapes behind it. */
  function drawnBehind(text: SVGElement, behind: readonly SVGGeometryElement[]): Rgb | null {
    const style = styleOf(text)
    const svg = text.ownerSVGElement
    const ground = svg ? groundOf(svg) : null
    if (!ground) return ground
    if (hasHalo(text)) return over(colourOf(style.stroke), 1, ground)
    return behind.reduce<Rgb>((under, shape) => {
      const { fill, fillOpacity } = styleOf(shape)
      return over(colourOf(fill), Number(fillOpacity) * clipsOf(shape).opacity, under)
    }, ground)
  }
  const hasHalo = (text: SVGElement): boolean =>
    styleOf(text).paintOrder.startsWith('stroke') && styleOf(text).stroke !== 'none'

  const blockOf = (element: Element): Element => {
    const drawing = element.closest('svg')
    if (drawing) return drawing
    let at = element
    while (at.parentElement && INLINE.has(styleOf(at).display)) at = at.parentElement
    return at
  }
  const cutAt = (element: Element): Element | null => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      if (styleOf(at).textOverflow === 'ellipsis') return at.scrollWidth > at.clientWidth + 1 ? at : null
      if (!INLINE.has(styleOf(at).display)) return null
    }
    return null
  }
  const faceOf = (style: CSSStyleDeclaration): Pick<TextLine, 'sizePx' | 'bold'> => ({
    sizePx: Number.parseFloat(style.fontSize),
    bold: Number(style.fontWeight) >= 700,
  })
  const isTold = (element: Element): boolean =>
    element.closest('[title]') !== null || element.closest('text, g')?.querySelector('title') != null

  /** Whether a line of the text begins with a dot that stands between two things. */
  const beginsALine = (node: Node, block: Element): boolean => {
    const from = block.getBoundingClientRect().left + Number.parseFloat(styleOf(block).paddingLeft)
    return [...(node.textContent ?? '').matchAll(/·/g)].some(({ index }) => {
      const dot = document.createRange()
      dot.setStart(node, index)
      dot.setEnd(node, index + 1)
      const [at] = dot.getClientRects()
      return at !== undefined && at.left - from < 2
    })
  }
  const separated = new Set<string>()

  const lines: (Omit<TextLine, 'painted'> & { readonly element: Element })[] = []
  const passages = new Map<Element, string>()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let of = 0
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    const text = node.textContent ?? ''
    if (!element || !text.trim() || /^(script|style|title|option|textarea|desc)$/i.test(element.tagName))
      continue
    const clip = clipsOf(element)
    const style = styleOf(element)
    if (!clip.visible || clip.opacity === 0 || !element.checkVisibility({ visibilityProperty: true }))
      continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const rects = [...range.getClientRects()].filter(
      ({ width, height, right }) => width > 1 && height > 1 && right > 0,
    )
    if (rects.length === 0) continue
    of += 1
    const drawn = element instanceof SVGElement
    const block = blockOf(element)
    const evidence = MONO.test(style.fontFamily) || element.closest('q') !== null
    const passage = drawn ? element : block
    passages.set(passage, (passages.get(passage) ?? '') + (evidence ? ' ◻ ' : text))
    if (!drawn && beginsALine(node, block)) separated.add(`${nameOf(element)}: ${text.trim()}`)
    const cut = drawn ? null : cutAt(element)
    for (const rect of rects) {
      lines.push({
        text: text.trim(),
        box: inPage(rect),
        of,
        cutBy: clip.cutBy,
        scrolledBy: clip.scrolledBy,
        home: inPage(block.getBoundingClientRect()),
        drawn,
        cut: cut !== null,
        told: isTold(element),
        ...faceOf(style),
        where: nameOf(element),
        element,
      })
    }
  }

  const isUnwritten = (element: Element): boolean =>
    (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) &&
    element.placeholder !== '' &&
    element.matches(':placeholder-shown')
  /** Of a field into which nothing is written yet that of what it says instead. */
  const inkStyleOf = (element: Element): CSSStyleDeclaration =>
    isUnwritten(element) ? getComputedStyle(element, '::placeholder') : styleOf(element)
  const textIn = (field: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement): string => {
    if (field instanceof HTMLSelectElement) return field.selectedOptions[0]?.text ?? ''
    return isUnwritten(field) ? field.placeholder : field.value
  }
  const fields: (Omit<FieldText, 'painted'> & { readonly element: Element })[] = []
  for (const element of document.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(
    'select,textarea,input:not([type=hidden],[type=range],[type=color],[type=checkbox],[type=radio],[type=image])',
  )) {
    const clip = clipsOf(element)
    if (!clip.visible || clip.opacity === 0 || !element.checkVisibility({ visibilityProperty: true }))
      continue
    const text = textIn(element).trim()
    fields.push({ text, ...faceOf(styleOf(element)), where: nameOf(element), element })
  }

  const written = [...new Set([...lines, ...fields].map(({ element }) => element))].map((element) => {
    const svg = element instanceof SVGElement && !hasHalo(element) ? element.ownerSVGElement : null
    const behind = svg && element instanceof SVGElement ? shapesBehind(element, svg) : []
    return { element, behind, exempt: element.closest('[disabled],[aria-disabled=true]') !== null }
  })
  const paints = new Map<Element, Painted[]>()
  const chosen = document.documentElement.dataset.theme
  for (const theme of themes) {
    document.documentElement.dataset.theme = theme
    grounds.clear()
    colours.clear()
    for (const { element, behind, exempt } of written) {
      const drawn = element instanceof SVGElement
      const ground = drawn ? drawnBehind(element, behind) : groundOf(element)
      const style = inkStyleOf(element)
      const ink = colourOf(drawn ? style.fill : style.color)
      const opacity = clipsOf(element).opacity * (style === styleOf(element) ? 1 : Number(style.opacity))
      const colour = over(ink, opacity, ground ?? [255, 255, 255])
      const known = paints.get(element) ?? []
      paints.set(element, [...known, { theme, colour, behind: exempt ? null : ground }])
    }
  }
  if (chosen === undefined) delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen

  const PICTURES = 'svg,canvas,img,input,select,textarea,button,progress,meter,video'
  /** No text, and no picture or control, but in parts that are named by `but`. */
  const holdsNothing = (element: Element, but = ''): boolean => {
    if (!but) return !element.textContent?.trim() && !element.querySelector(PICTURES)
    const counts = (part: Element | null) => part !== null && part.closest(but) === null
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      if (text.textContent?.trim() && counts(text.parentElement)) return false
    return ![...element.querySelectorAll(PICTURES)].some(counts)
  }
  const isShown = (element: Element): boolean => {
    const box = element.getBoundingClientRect()
    return box.width > 1 && box.height > 1 && clipsOf(element).visible && element.checkVisibility()
  }
  const isFramed = (element: Element): boolean => {
    const style = styleOf(element)
    const edges = ['Top', 'Right', 'Bottom', 'Left'] as const
    const lined = edges.filter((edge) => Number.parseFloat(style[`border${edge}Width`]) > 0)
    const filled = colourOf(style.backgroundColor)[3] > 0.02
    const box = element.getBoundingClientRect()
    return (lined.length >= 3 || filled) && box.width >= 80 && box.height >= 28
  }
  const empty: string[] = []
  for (const element of document.querySelectorAll('main *, dialog *')) {
    if (element instanceof SVGElement || !isShown(element)) continue
    if (/skeleton/.test(element.className)) empty.push(`never filled: ${nameOf(element)}`)
    else if (element.matches('figure') && holdsNothing(element, 'figcaption,h2,h3,h4,header'))
      empty.push(`figure: ${nameOf(element)}`)
    else if (element.matches('section,article') && holdsNothing(element, 'h1,h2,h3,h4'))
      empty.push(`section: ${nameOf(element)}`)
    else if (element.matches('tbody,dl,ul,ol') && holdsNothing(element))
      empty.push(`list: ${nameOf(element)}`)
    else if (
      !element.matches(
        '[role=img] *,[role=img],[aria-hidden=true] > i,canvas,img,input,textarea,select,button,progress,meter,[aria-hidden]',
      ) &&
      holdsNothing(element) &&
      isFramed(element)
    )
      empty.push(`box: ${nameOf(element)}`)
  }

  const uncued: string[] = []
  for (const element of document.querySelectorAll('main *, dialog *')) {
    if (element instanceof SVGElement || element.scrollWidth <= element.clientWidth + 2) continue
    const style = styleOf(element)
    if (!SAYS_MORE.test(style.overflowX) || !isShown(element) || element.matches('textarea,input,select,pre'))
      continue
    if (style.maskImage === 'none' && style.backgroundImage === 'none') uncued.push(nameOf(element))
  }

  const redrawn = new Set<string>()
  for (const { element, text, where } of lines)
    if (REDRAWN.test(text) && styleOf(element).fontVariantLigatures !== 'none')
      redrawn.add(`${where}: ${text}`)

  const controls: string[] = []
  for (const element of document.querySelectorAll(
    'select,input,textarea,button,[role=slider],[role=button],a[class*=button]',
  )) {
    const style = styleOf(element)
    if (!isShown(element) || clipsOf(element).opacity === 0 || style.opacity === '0') continue
    const lined =
      Number.parseFloat(style.borderBottomWidth) > 0 && colourOf(style.borderBottomColor)[3] > 0.02
    const painted = style.backgroundImage !== 'none' || colourOf(style.backgroundColor)[3] > 0.02
    const own = element.matches('select,input,textarea') && style.appearance !== 'none'
    if (lined || painted || own)
      controls.push(`${nameOf(element)} ${element.textContent?.trim().slice(0, 40) ?? ''}`.trim())
  }
  // A paragraph whose words only say where they lead says nothing there either; a name, as of a rule, does.
  for (const link of document.querySelectorAll<HTMLAnchorElement>('main p > a:only-child'))
    if (
      isShown(link) &&
      link.origin === location.origin &&
      link.parentElement?.textContent === link.textContent &&
      / /.test(link.textContent ?? '')
    )
      controls.push(`${nameOf(link)} ${link.textContent?.trim().slice(0, 40) ?? ''}`.trim())

  const snapshot: Snapshot = {
    lines: lines.map(({ element, ...line }) => ({ ...line, painted: paints.get(element) ?? [] })),
    fields: fields.map(({ element, ...field }) => ({ ...field, painted: paints.get(element) ?? [] })),
    passages: [...passages].map(([element, text]) => ({
      text: text.replace(/\s+/g, ' ').trim(),
      where: nameOf(element),
    })),
    empty,
    sideways: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
    uncued,
    redrawn: [...redrawn],
    separated: [...separated],
    controls,
  }
  return JSON.stringify(snapshot)
}

/** What is on a page, and where. */
export const snapshotOf = async (page: Page, themes: readonly Theme[]): Promise<Snapshot> =>
  JSON.parse(await page.evaluate(takeSnapshot, themes)) as Snapshot
