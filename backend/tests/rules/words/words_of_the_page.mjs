// Reads [["quantity" | "exactly", value, unit], …] from standard input and writes what frontend/src/format.ts says.
import { fileURLToPath } from 'node:url'
import { json } from 'node:stream/consumers'
import { runnerImport } from 'vite'

const file = new URL('../../../../frontend/src/format.ts', import.meta.url)
const { module } = await runnerImport(fileURLToPath(file), { configFile: false, logLevel: 'silent' })
const { exactly, quantity } = module

const says = {
  quantity(value, unit) {
    const { number, unit: name } = quantity(value, unit)
    return name ? `${number} ${name}` : number
  },
  exactly,
}
const asked = await json(process.stdin)
process.stdout.write(JSON.stringify(asked.map(([form, value, unit]) => says[form](value, unit))))
