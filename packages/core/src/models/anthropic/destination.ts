import type { ModelInfo } from "../table/model-info.ts";

/** Where a request goes. */
export interface Destination {
	/** What is known of the model there. */
	readonly info: ModelInfo | undefined;
	/** Whether a server other than Anthropic's own speaks the Messages API there. */
	readonly custom: boolean;
}
