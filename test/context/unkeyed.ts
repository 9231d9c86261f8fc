import { type Keyed, operator } from "@parley/core";

/** Creates a request of the operator without an idempotency key. */
export function unkeyed(): Keyed {
	return { principal: operator, key: undefined, method: "test", params: {} };
}
