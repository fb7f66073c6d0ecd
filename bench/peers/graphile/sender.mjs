import { makeWorkerUtils } from "graphile-worker"
import { logger } from "./quiet.mjs"
import { run, url } from "../sender.mjs"

const utils = await makeWorkerUtils({ connectionString: url, logger })
const BATCH = 1000

await run({
  prepare: () => utils.migrate(),
  send: (n) => utils.addJob("noop", { n }),
  send_late: (sent) => utils.addJob("late", { sent }),
  async send_many(count) {
    for (let sent = 0; sent < count; sent += BATCH) {
      const size = Math.min(BATCH, count - sent)
      await utils.addJobs(Array.from({ length: size }, (_, n) => ({ identifier: "noop", payload: { n: sent + n } })))
    }
  },
  // There are no dependencies: the task adds the next one itself.
  async send_chains(count) {
    await utils.addJobs(Array.from({ length: count }, () => ({ identifier: "link", payload: { left: 2 } })))
  },
})
