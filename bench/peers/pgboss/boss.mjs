export const QUEUES = ["noop", "late"]

// flowIntervalSeconds: how often jobs whose dependencies are met are released; 1 is the least it takes, 5 its default.
export const options = (url) => ({ connectionString: url, max: 10, useListenNotify: true, flowIntervalSeconds: 1 })
