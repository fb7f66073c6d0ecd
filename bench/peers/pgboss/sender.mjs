import { PgBoss } from "pg-boss"
import { QUEUES, options } from "./boss.mjs"
import { run, url } from "../sender.mjs"

const boss = new PgBoss({ ...options(url), supervise: false, schedule: false, useListenNotify: false })
boss.on("error", console.error)
await boss.start()
const BATCH = 1000
const FLOW = 300 // jobs in one statement; more makes it slower

async function send_flows(graphs) {
  let batch = []
  for (const [g, jobs] of graphs.entries()) {
    for (const { ref, after = [] } of jobs) {
      batch.push({ ref: `${g}.${ref}`, name: "noop", data: {}, dependsOn: after.map((a) => `${g}.${a}`) })
    }
    if (batch.length >= FLOW || g === graphs.length - 1) {
      await boss.flow(batch)
      batch = []
    }
  }
}

await run({
  async prepare() {
    for (const name of QUEUES) await boss.createQueue(name, { notify: true })
  },
  send: (n) => boss.send("noop", { n }),
  send_late: (sent) => boss.send("late", { sent }),
  async send_many(count) {
    for (let sent = 0; sent < count; sent += BATCH) {
      const size = Math.min(BATCH, count - sent)
      await boss.insert("noop", Array.from({ length: size }, (_, n) => ({ data: { n: sent + n } })))
    }
  },
  send_chains: (count) =>
    send_flows(Array.from({ length: count }, () => [{ ref: 0 }, { ref: 1, after: [0] }, { ref: 2, after: [1] }])),
  send_fans(count, width) {
    const parts = Array.from({ length: width }, (_, ref) => ({ ref }))
    return send_flows(Array.from({ length: count }, () => [...parts, { ref: width, after: parts.map((p) => p.ref) }]))
  },
})
