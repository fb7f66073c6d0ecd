"""Which files of the object store an attempt of a job may read and write."""

from dataclasses import dataclass
from typing import cast

from tenuto.model.errors import Conflict, Forbidden, NotFound
from tenuto.model.jobs import OPERATOR_TYPES, is_table, staging_prefix
from tenuto.model.json import Json, JsonObject
from tenuto.model.principals import TaskPrincipal

DATASETS = "datasets/"  # the prefix of all datasets in the object store
MAX_LISTED = 64  # maximum of dataset versions in a token, which is sent in a header; with more, it lists none
MARKS = "_"  # names of files that are not data begin with this, such as _done


def token_lists(input: Json) -> tuple[frozenset[str] | None, frozenset[str] | None]:
    """Returns the two lists in the token of an attempt: the dataset versions that it may read, and the folders of the
    dataset versions that it may write. Both are None for a task without a job, and if there are too many to list."""
    job = input.get("job") if isinstance(input, dict) else None
    if not isinstance(job, dict) or not isinstance(job.get("inputs"), list) or not isinstance(job.get("outputs"), list):
        return None, None
    reads = {str(entry["version_id"]) for entry in _objects(job["inputs"]) if entry.get("version_id")}
    writes = {str(entry["location"]) for entry in _objects(job["outputs"]) if entry.get("location")}
    return (frozenset(reads), frozenset(writes)) if len(reads) + len(writes) <= MAX_LISTED else (None, None)


def _objects(value: Json) -> list[JsonObject]:
    return [entry for entry in cast("list[Json]", value) if isinstance(entry, dict)]


@dataclass(frozen=True)
class AttemptFiles:
    """The files of one attempt of a job, by their keys in the object store."""

    job: JsonObject
    principal: TaskPrincipal

    @staticmethod
    def of(type: str, input: Json, principal: TaskPrincipal) -> "AttemptFiles":
        """Returns the files of an attempt. Raises Conflict if its task belongs to no job."""
        if not type.startswith(OPERATOR_TYPES):
            message = f"task {principal.task_id} belongs to no job, so it has no files"
            raise Conflict(message, "store data objects instead")
        return AttemptFiles(cast("JsonObject", cast("JsonObject", input)["job"]), principal)

    def staging_of(self, output: int, partition: str | None) -> str:
        """Return the location to which the attempt writes a partition of an output. The attempt publishes this
        location. Raises NotFound, Conflict or Forbidden if the attempt cannot write files of this output."""
        outputs = self._entries("outputs")
        if output >= len(outputs):
            raise NotFound(f"job {self.job['job']} has no output {output}")
        location = outputs[output]["location"]
        if location is None:
            raise Conflict(f"output {output} of job {self.job['job']} is not published, so it has no files")
        if is_table(outputs[output]):
            raise Conflict(f"output {output} of job {self.job['job']} is stored in Postgres", "use POST /v1/task/rows")
        if not self._is_listed(location, self.principal.writes):
            raise Forbidden(f"the token does not list output {output} of job {self.job['job']}")
        return staging_prefix(str(location), partition, str(self.principal.task_id), self.principal.attempt)

    def may_write(self, key: str) -> bool:
        """Returns whether the key is that of a file in a folder of this attempt."""
        for output in self._entries("outputs"):
            folder = f"{DATASETS}{output['location']}"
            if output["location"] is not None and key.startswith(folder):
                parts = key.removeprefix(folder).split("/")
                own = f"{self.principal.task_id}-{self.principal.attempt}"
                return (
                    len(parts) == 3 and parts[1] == own and self._is_listed(output["location"], self.principal.writes)
                )
        return False

    def may_read(self, key: str) -> bool:
        """Returns whether the key is that of a file of an input, or of a file that the attempt has written itself. If
        an input has too many locations for the task's description, all files of its dataset version can be read."""
        for input in self._entries("inputs"):
            if not self._is_listed(input["version_id"], self.principal.reads):
                continue
            locations = cast("list[str] | None", input["locations"])
            if locations is None:
                locations = [f"{input['dataset_id']}/{input['version_id']}/"]
            if key.startswith(tuple(f"{DATASETS}{location}" for location in locations)):
                return True
        return self.may_write(key)

    def check_input(self, number: int) -> None:
        """Raises Forbidden for an input that the token does not list."""
        inputs = self._entries("inputs")
        if number < len(inputs) and not self._is_listed(inputs[number]["version_id"], self.principal.reads):
            raise Forbidden(f"the token does not list input {number} of job {self.job['job']}")

    @staticmethod
    def _is_listed(name: Json, listed: frozenset[str] | None) -> bool:
        return listed is None or name in listed

    def _entries(self, name: str) -> list[JsonObject]:
        return cast("list[JsonObject]", self.job[name])
