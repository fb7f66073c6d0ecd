"""Constants of metrics, for processes that do not serve metrics: the buckets of task times, and the label of queues and
types that are counted together."""

OTHER = "other"  # the label of queues and types that are counted together, because there are too many

# Upper bounds of the buckets of task times, in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0)
