import { copyText } from '../../ui/clipboard'

/** How much finer than a screen's pixels: a mail is printed, too. */
const FINER = 2

/** Puts HTML on the clipboard, and its text beside it for what takes no HTML; pictures become PNG, which every mail
 *  shows. False where the browser does not allow it. */
export async function copyRich(html: string): Promise<boolean> {
  const markup = await import('./safeMarkup').catch(() => null)
  if (markup === null) return copyText(html)
  const place = document.createElement('div')
  place.append(markup.fromHtml(html))
  const text = Array.from(place.children, (block) => block.textContent.trim()).join('\n\n')
  for (const drawing of place.querySelectorAll('svg')) {
    const picture = await asPicture(drawing).catch(() => null)
    if (picture) drawing.replaceWith(picture)
  }
  try {
    await navigator.clipboard.write([
      new ClipboardItem({
        'text/html': new Blob([place.innerHTML], { type: 'text/html' }),
        'text/plain': new Blob([text], { type: 'text/plain' }),
      }),
    ])
    return true
  } catch {
    return copyText(html)
  }
}

async function asPicture(drawing: SVGSVGElement): Promise<HTMLImageElement> {
  const [, , width = 0, height = 0] = (drawing.getAttribute('viewBox') ?? '').split(' ').map(Number)
  const source = new Image()
  source.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`
  await source.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * FINER
  canvas.height = height * FINER
  canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height)
  const picture = new Image(width, height)
  picture.alt = drawing.querySelector('title')?.textContent ?? ''
  picture.src = canvas.toDataURL('image/png')
  return picture
}
