import { useColumns, useDatasetList } from "../../api/names";
import type { Complete } from "./completion";
import { completeSql, readDatasets } from "./sqlCompletion";

/** Completion of SELECTs over the datasets of the org; columns are those of the datasets that the text reads. */
export function useSqlCompletion(text: string): Complete {
  const datasets = useDatasetList();
  const read = new Set(readDatasets(text).values());
  const columns = useColumns(datasets.filter((dataset) => read.has(dataset.name)));
  return completeSql({
    datasets: datasets.map((dataset) => dataset.name),
    columns: (dataset) => columns.get(dataset) ?? [],
  });
}
