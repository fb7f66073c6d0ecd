"""The facets of OpenLineage events that describe datasets, and the address of the schema of every facet."""

from collections.abc import Mapping, Sequence
from typing import Literal

from tenuto.model.json import Json, JsonObject
from tenuto.model.lineage_facts import DatasetDetails, SourceColumn, VersionFacts

PRODUCER = "urn:tenuto"
SPEC = "https://openlineage.io/spec"
MAX_FOUND_CHARS = 1000  # of the message of a check
# The version of each schema file.
VERSIONS = {
    "OpenLineage": "2-0-2",
    "ColumnLineageDatasetFacet": "facets/1-2-0",
    "DatasetVersionDatasetFacet": "facets/1-0-1",
    "DocumentationJobFacet": "facets/1-1-0",
    "ErrorMessageRunFacet": "facets/1-0-1",
    "JobDependenciesRunFacet": "facets/1-0-1",
    "JobTypeJobFacet": "facets/2-0-4",
    "LifecycleStateChangeDatasetFacet": "facets/1-0-1",
    "LineageFacet": "facets/1-0-0",
    "NominalTimeRunFacet": "facets/1-0-1",
    "OutputStatisticsOutputDatasetFacet": "facets/1-0-2",
    "OwnershipJobFacet": "facets/1-0-1",
    "ParentRunFacet": "facets/1-2-0",
    "ProcessingEngineRunFacet": "facets/1-1-1",
    "SQLJobFacet": "facets/1-1-0",
    "SchemaDatasetFacet": "facets/1-2-0",
    "StorageDatasetFacet": "facets/1-0-1",
    "SymlinksDatasetFacet": "facets/1-0-1",
    "TagsDatasetFacet": "facets/1-0-0",
    "TagsJobFacet": "facets/1-0-0",
    "TagsRunFacet": "facets/1-0-0",
    "TestRunFacet": "facets/1-0-1",
    "DataQualityAssertionsDatasetFacet": "facets/1-1-0",
    "BaseSubsetDatasetFacet": "facets/1-0-0",
}


def schema_url(file: str, definition: str) -> str:
    """Return the address of a definition in a schema file of the specification."""
    return f"{SPEC}/{VERSIONS[file]}/{file}.json#/$defs/{definition}"


def facet(name: str, values: JsonObject, *, file: str | None = None) -> JsonObject:
    """Return a facet with its producer and the address of its schema. `file`: the schema file; by default it has the
    name of the facet."""
    return {"_producer": PRODUCER, "_schemaURL": schema_url(file or name, name), **values}


def tags(values: Mapping[str, Json]) -> JsonObject:
    """Return the values as tags. Values that are None are left out."""
    return {
        "tags": [
            {"key": key, "value": str(value), "source": "TENUTO"} for key, value in values.items() if value is not None
        ]
    }


def dataset_facets(item: VersionFacts, namespace: str) -> JsonObject:
    """Return the facets of a dataset version that are the same for all runs that read or write it."""
    facets: JsonObject = {}
    if version := item.get("version_id"):
        facets["version"] = facet("DatasetVersionDatasetFacet", {"datasetVersion": version})
    if columns := item.get("columns"):
        fields = [{"name": column["name"], "type": str(column.get("type") or "unknown")} for column in columns]
        facets["schema"] = facet("SchemaDatasetFacet", {"fields": fields})
    if storage := item.get("storage"):
        values: JsonObject = {"storageLayer": storage.get("kind") or "file"}
        if values["storageLayer"] == "file":
            values["fileFormat"] = "parquet"
        facets["storage"] = facet("StorageDatasetFacet", values)
    if location := item.get("location"):
        link: JsonObject = {"namespace": namespace, "name": location, "type": "LOCATION"}
        facets["symlinks"] = facet("SymlinksDatasetFacet", {"identifiers": [link]})
    return facets


def output_facets(item: VersionFacts) -> JsonObject:
    """Return the facets of an output that a run wrote: its size, its partitions and the results of its checks."""
    facets: JsonObject = {}
    known = {"rowCount": item.get("rows"), "size": item.get("bytes"), "fileCount": item.get("folders")}
    sizes: JsonObject = {name: value for name, value in known.items() if value is not None}
    facets["outputStatistics"] = facet("OutputStatisticsOutputDatasetFacet", sizes)
    if partitions := [key for key in item.get("partitions") or () if key]:
        facets["subset"] = subset("output", partitions)
    if results := item.get("results"):
        assertions = [
            {
                "assertion": _check_name(result),
                "success": result.get("passed") is True,
                "severity": str(result.get("severity") or "error"),
                **_found(result, "actual"),
            }
            for result in results
        ]
        facets["dataQualityAssertions"] = facet("DataQualityAssertionsDatasetFacet", {"assertions": assertions})
    return facets


def check_results(outputs: Sequence[DatasetDetails]) -> JsonObject | None:
    """Return the results of the checks of all outputs of a run; None if there are none."""
    tests: list[Json] = [
        {
            "name": f"{output['dataset']}: {_check_name(result)}",
            "status": "pass" if result.get("passed") is True else "fail",
            "severity": str(result.get("severity") or "error"),
            **_found(result, "actual"),
        }
        for output in outputs
        for result in output.get("results") or ()
    ]
    return facet("TestRunFacet", {"tests": tests}) if tests else None


def _check_name(result: Mapping[str, Json]) -> str:
    return str(result.get("name") or "check")


def _found(result: Mapping[str, Json], field: str) -> JsonObject:
    """Return the message of a check under the name `field`; an empty object if the check has no message."""
    message = result.get("message")
    return {field: message[:MAX_FOUND_CHARS]} if isinstance(message, str) else {}


def subset(side: Literal["input", "output"], partitions: Sequence[str]) -> JsonObject:
    """Return the facet with the partitions that a run read or wrote."""
    condition: JsonObject = {
        "type": "partition",
        "partitions": [{"identifier": key, "dimensions": {}} for key in partitions],
    }
    name = "InputSubsetInputDatasetFacet" if side == "input" else "OutputSubsetOutputDatasetFacet"
    return facet(name, {f"{side}Condition": condition}, file="BaseSubsetDatasetFacet")


def column_lineage(sources: Sequence[SourceColumn], namespace: str) -> JsonObject:
    """Return the column lineage of a dataset version. A source without a column of the output affects the whole
    dataset, as a filter does. Sources without a column of the input are left out, because the specification cannot
    express them."""
    fields: dict[str, list[Json]] = {}
    whole: list[Json] = []
    for source in sources:
        if source["field"] is None:
            continue
        transformation: JsonObject = {"type": source["kind"].upper()}
        if source["subtype"]:
            transformation["subtype"] = source["subtype"].upper()
        field: JsonObject = {
            "namespace": namespace,
            "name": source["dataset"],
            "field": source["field"],
            "transformations": [transformation],
        }
        (whole if source["column"] is None else fields.setdefault(source["column"], [])).append(field)
    columns: JsonObject = {column: {"inputFields": inputs} for column, inputs in fields.items()}
    return facet("ColumnLineageDatasetFacet", {"fields": columns, "dataset": whole})


def output_lineage(
    inputs: Sequence[DatasetDetails], outputs: Sequence[DatasetDetails], namespace: str
) -> JsonObject | None:
    """Return the inputs from which each output of a run was computed, so that a catalog does not link every output with
    every input. If an output has column lineage, these are the inputs in its lineage; otherwise they are all inputs of
    the run. Return None if the run wrote fewer than two outputs."""
    if len(outputs) < 2:
        return None
    entries = [
        {
            **_of_dataset(output["dataset"], namespace),
            "inputs": [_of_dataset(name, namespace) for name in _sources_of(output, inputs)],
        }
        for output in outputs
    ]
    return facet("LineageJobFacet", {"entries": entries}, file="LineageFacet")


def _of_dataset(name: str, namespace: str) -> JsonObject:
    return {"namespace": namespace, "name": name, "type": "DATASET"}


def _sources_of(output: DatasetDetails, inputs: Sequence[DatasetDetails]) -> list[str]:
    if sources := output.get("sources"):
        return sorted({source["dataset"] for source in sources})
    return sorted({item["dataset"] for item in inputs})
