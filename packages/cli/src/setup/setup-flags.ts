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
	/** False with `--no-test`. */
	readonly test?: boolean;
	readonly project?: string;
	readonly sandbox?: string;
	readonly discord?: boolean;
	readonly slack?: boolean;
	readonly service?: boolean;
}

/** Surroundings of a step. */
export interface StepParts {
	readonly flags: SetupFlags;
	readonly io: Io;
	/** The data directory. */
	readonly data: string;
	/** Whether questions are asked. */
	readonly asks: boolean;
}

/** Results of a step for the summary, or `left` if the operator left at a question. */
export type StepResult = readonly string[] | "left";
