// sender.py for Node: obeys JSON lines and takes the times.
import { createInterface } from "node:readline"
import process from "node:process"
import { setTimeout as sleep } from "node:timers/promises"

const seconds = () => Number(process.hrtime.bigint()) / 1e9

export const url = process.env.BENCH_URL

export async function run(sender) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { do: what, ...order } = JSON.parse(line)
    const started = seconds()
    try {
      await obey(sender, what, order)
      console.log(JSON.stringify({ started, ended: seconds() }))
    } catch (error) {
      console.log(JSON.stringify({ error: String(error) }))
    }
  }
  process.exit(0)
}

async function obey(sender, what, { count = 0, width = 0, gap = 0 }) {
  if (what === "send") {
    for (let n = 0; n < count; n++) await sender.send(n)
  } else if (what === "send_late") {
    for (let n = 0; n < count; n++) {
      await sleep(gap * 1000 * (0.5 + Math.random())) // not in step with anybody's polling
      // A string: a JSON number would lose digits.
      await sender.send_late(String(process.hrtime.bigint()))
    }
  } else if (what === "send_fans") {
    await sender.send_fans(count, width)
  } else {
    await sender[what](count)
  }
}
