import type { Tone } from "./Status";

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 46;

export interface GraphNode {
  id: string;
  title: string;
  about: string;
  tone: Tone;
  /** Drawn with a border in the colour of links, such as the thing that a graph is about. */
  marked?: boolean;
  /** Something happens to it now. */
  moving?: boolean;
}

export interface GraphEdge {
  from: string;
  to: string;
  dashed?: boolean;
}

export interface Position {
  x: number;
  y: number;
}
