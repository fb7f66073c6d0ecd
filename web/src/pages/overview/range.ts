/** How far back the charts reach. */
export type Range = "1h" | "3h" | "7d" | "90d";
