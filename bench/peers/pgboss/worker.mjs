import { PgBoss } from "pg-boss"
import process from "node:process"
import { options } from "./boss.mjs"
import { hit, late } from "../tally.mjs"

const boss = new PgBoss(options(process.env.BENCH_URL))
boss.on("error", console.error)
await boss.start()

const fast = { batchSize: 1000, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 }
await boss.work("noop", { ...fast, localConcurrency: 2 }, async (jobs) => jobs.forEach(hit))
await boss.work("late", fast, async (jobs) => jobs.forEach((job) => late(job.data.sent)))

process.once("SIGTERM", () => boss.stop({ graceful: false }).then(() => process.exit(0)))
