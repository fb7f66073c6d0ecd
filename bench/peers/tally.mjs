// tally.py for Node: the same files, the same lines, the same 20 ms.
import { appendFileSync, openSync, writeSync } from "node:fs"
import process from "node:process"

const EVERY = 20
const file = (kind) => `${process.env.BENCH_TALLY}/${process.pid}.${kind}`
let hits = 0
let written = 0

export function hit() {
  hits += 1
  if (hits === 1) start()
}

export function late(sent) {
  const took = process.hrtime.bigint() - BigInt(sent)
  appendFileSync(file("late"), `${sent} ${took}\n`)
}

function start() {
  const descriptor = openSync(file("runs"), "a")
  writeSync(descriptor, `${process.hrtime.bigint()} 0\n`)
  setInterval(() => {
    if (hits === written) return
    writeSync(descriptor, `${process.hrtime.bigint()} ${hits}\n`)
    written = hits
  }, EVERY).unref()
}
