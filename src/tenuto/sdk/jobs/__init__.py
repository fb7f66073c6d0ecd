"""The inputs and outputs of a running job, and how data becomes Parquet. Needs the extra `data`."""
