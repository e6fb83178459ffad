// Makes dist/export.html: the built page as one file, scripts, styles and fonts inside, with a place for a case's answers.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist-export')
const assets = join(built, 'assets')
const read = (name) => readFileSync(join(assets, name), 'utf8')
// Beside the page's own script lies that of a worker: an exported page sends no files.
const [, script] = readFileSync(join(built, 'index.html'), 'utf8').match(/src="[^"]*assets\/([^"]+\.js)"/)
const styles = readdirSync(assets).filter((name) => name.endsWith('.css'))

// Other alphabets than Latin would be half of the file; the system's own font draws them.
const latin = (css) => css.replace(/@font-face\s*{[^}]*}/g, (face) => (/-latin-wght/.test(face) ? face : ''))
const fonts = (css) =>
  css.replace(/url\(([^)]+\.woff2)\)/g, (_, path) => {
    const font = readFileSync(join(assets, path.replace(/["']/g, '').split('/').at(-1)))
    return `url(data:font/woff2;base64,${font.toString('base64')})`
  })

const inElement = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
const theme = inElement(readFileSync(join(root, 'public/theme.js'), 'utf8'))
const code = inElement(read(script))
const style = fonts(latin(styles.map(read).join('\n')))
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const icon = readFileSync(join(root, 'public/favicon.svg')).toString('base64')

const policy = [
  "default-src 'none'",
  `script-src ${hash(theme)} ${hash(code)}`,
  `style-src ${hash(style)}`,
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const page = `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>IOtriage</title>
<link rel="icon" href="data:image/svg+xml;base64,${icon}">
<style>${style}</style>
<script>${theme}</script>
</head>
<body>
<div id="root"></div>
<p class="opening">Opening the case. Where this line stays, the page is damaged or was cut short, or the browser is too old for it: get it again from where you have it, or open it in a newer one.</p>
<noscript>This page draws and decides in the browser and needs JavaScript.</noscript>
<script type="application/gzip" id="answers"></script>
<script type="module">${code}</script>
</body>
</html>
`
writeFileSync(join(root, 'dist/export.html'), page)
rmSync(built, { recursive: true })
console.log(`dist/export.html: ${(page.length / 1000).toFixed(0)} kB, to which a case adds its own`)
