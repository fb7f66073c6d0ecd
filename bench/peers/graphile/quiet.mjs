// Its default logger prints a line for every job.
import { Logger } from "graphile-worker"

export const logger = new Logger(() => (level, message) => {
  if (level === "error" || level === "warning") console.error(message)
})
