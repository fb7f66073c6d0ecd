"""The DAG of the demo: `dag.yaml` and the code of its jobs."""
