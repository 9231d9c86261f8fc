import type { ParameterLeniency } from "../vocabulary/tool.ts";

/** Other names that models give the path of a file. */
export const pathLeniency: ParameterLeniency = { names: ["file_path", "file", "filename"] };
