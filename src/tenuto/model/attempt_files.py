"""Which files of the object store an attempt of a job may read and write."""

from dataclasses import dataclass
from typing import cast
from uuid import UUID

from tenuto.model.errors import Conflict, NotFound
from tenuto.model.jobs import OPERATOR_TYPES, is_table, staging_prefix
from tenuto.model.json import Json, JsonObject

DATASETS = "datasets/"  # the prefix of all datasets in the object store
MARKS = "_"  # the beginning of names of files that are no data, such as _done


@dataclass(frozen=True)
class AttemptFiles:
    """The files of one attempt of a job, by their keys in the object store."""

    job: JsonObject
    task_id: UUID
    attempt: int

    @staticmethod
    def of(type: str, input: Json, task_id: UUID, attempt: int) -> "AttemptFiles":
        """Raises Conflict if the task belongs to no job."""
        if not type.startswith(OPERATOR_TYPES):
            raise Conflict(f"task {task_id} belongs to no job, so it has no files", "store data objects instead")
        return AttemptFiles(cast("JsonObject", cast("JsonObject", input)["job"]), task_id, attempt)

    def staging_of(self, output: int, partition: str | None) -> str:
        """Return the location to which the attempt writes a partition of an output, as it is published."""
        outputs = self._entries("outputs")
        if output >= len(outputs):
            raise NotFound(f"job {self.job['job']} has no output {output}")
        location = outputs[output]["location"]
        if location is None:
            raise Conflict(f"output {output} of job {self.job['job']} is not published, so it has no files")
        if is_table(outputs[output]):
            raise Conflict(f"output {output} of job {self.job['job']} is stored in Postgres", "POST /v1/task/rows")
        return staging_prefix(str(location), partition, str(self.task_id), self.attempt)

    def may_write(self, key: str) -> bool:
        """Whether the key is that of a file in a folder of this attempt."""
        for output in self._entries("outputs"):
            folder = f"{DATASETS}{output['location']}"
            if output["location"] is not None and key.startswith(folder):
                parts = key.removeprefix(folder).split("/")
                return len(parts) == 3 and parts[1] == f"{self.task_id}-{self.attempt}"
        return False

    def may_read(self, key: str) -> bool:
        """Whether the key is that of a file that an input pins, or of one that the attempt has written itself. Of an
        input with too many locations to list here, all files of its version can be read."""
        for input in self._entries("inputs"):
            locations = cast("list[str] | None", input["locations"])
            if locations is None:
                locations = [f"{input['dataset_id']}/{input['version_id']}/"]
            if key.startswith(tuple(f"{DATASETS}{location}" for location in locations)):
                return True
        return self.may_write(key)

    def _entries(self, name: str) -> list[JsonObject]:
        return cast("list[JsonObject]", self.job[name])
