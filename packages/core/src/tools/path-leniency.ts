import type { ParameterLeniency } from "../tool.ts";

/** Other names that models give the path of a file. */
export const pathLeniency: ParameterLeniency = { names: ["file_path", "file", "filename"] };
