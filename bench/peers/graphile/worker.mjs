// Throughput: the local queue fetches 1,000 jobs at a time and completions go out in batches. Latency: without the local
// queue, which would wait for its refetch delay.
import { run } from "graphile-worker"
import process from "node:process"
import { logger } from "./quiet.mjs"
import { hit, late } from "../tally.mjs"

const throughput = { concurrentJobs: 100, maxPoolSize: 102, localQueue: { size: 1000 }, completeJobBatchDelay: 5 }
const latency = { concurrentJobs: 10, maxPoolSize: 12 }

const runner = await run({
  preset: {
    worker: { connectionString: process.env.BENCH_URL, logger, ...(process.env.BENCH_FOR === "latency" ? latency : throughput) },
  },
  taskList: {
    noop: hit,
    late: ({ sent }) => late(sent),
    async link({ left }, helpers) {
      hit()
      if (left > 0) await helpers.addJob("link", { left: left - 1 })
    },
  },
})
await runner.promise
