// Reads [["quantity" | "exactly", value, unit], …] from standard input and writes what frontend/src/format.ts says.
import { readFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import { transformWithOxc } from 'vite'

const file = new URL('../../../frontend/src/format.ts', import.meta.url)
const { code } = await transformWithOxc(readFileSync(file, 'utf-8'), file.pathname)
const { exactly, quantity } = await import(`data:text/javascript,${encodeURIComponent(code)}`)

const says = {
  quantity(value, unit) {
    const { number, unit: name } = quantity(value, unit)
    return name ? `${number} ${name}` : number
  },
  exactly,
}
const asked = await json(process.stdin)
process.stdout.write(JSON.stringify(asked.map(([form, value, unit]) => says[form](value, unit))))
