import type { Io } from "../command-line/io.ts";

export interface SetupFlags {
	readonly yes?: boolean;
	readonly only?: readonly string[];
	readonly restart?: boolean;
	readonly data?: string;
	readonly provider?: string;
	readonly model?: string;
	readonly baseUrl?: string;
	readonly keyStdin?: boolean;
	/** Whether to test the model. False if `--no-test` is set. */
	readonly test?: boolean;
	readonly project?: string;
	readonly sandbox?: string;
	readonly discord?: boolean;
	readonly slack?: boolean;
	readonly service?: boolean;
}

/** Values that every step receives. */
export interface StepParts {
	readonly flags: SetupFlags;
	readonly io: Io;
	readonly data: string;
	/** Whether the step may ask questions. */
	readonly asks: boolean;
}

/** Results of a step for the summary. `left` if the operator left at a question. */
export type StepResult = readonly string[] | "left";
