"""The bugs of DAGs and datasets, from all files about them."""

from tests.planted.deploy_bugs import DEPLOY_BUGS
from tests.planted.lineage_bugs import LINEAGE_BUGS
from tests.planted.repair_bugs import REPAIR_BUGS

DATA_BUGS = (*DEPLOY_BUGS, *LINEAGE_BUGS, *REPAIR_BUGS)
