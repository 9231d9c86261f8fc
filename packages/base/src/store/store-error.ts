import { defined } from "../defined.ts";
import { ParleyError } from "../errors.ts";

/**
 * Failure of the store itself: a commit that the disk refused, or a store that is closed. Its code is `unavailable`,
 * which models, tools and networks use as well. Code that retries until the store works must ask for this class.
 */
export class StoreError extends ParleyError {
	constructor(message: string, cause?: unknown) {
		super(message, { code: "unavailable", ...defined({ cause }) });
	}
}
