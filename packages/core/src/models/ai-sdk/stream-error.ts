import { ParleyError } from "@parley/base";
import { eventError, type Fields, isFields, type RequestFacts } from "../exchange/errors.ts";

/** Library errors about the form of an answer: https://ai-sdk.dev/docs/reference/ai-sdk-errors */
const formErrors = /^AI_(?:JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody)Error$/;

/**
 * Returns the error for a failure within a stream. This is the error that the provider sent, or else the unchanged
 * `reason`.
 */
export function streamError(reason: unknown, facts: RequestFacts): unknown {
	if (reason instanceof ParleyError) return reason;
	if (isFields(reason) && formErrors.test(String(reason["name"]))) return reason;
	const sent = sentError(reason);
	return sent ? eventError({ error: sent }, undefined, facts) : reason;
}

/**
 * Returns the error object of the provider: `reason` itself, or an object in it. Undefined if no object has a message.
 */
function sentError(reason: unknown): Fields | undefined {
	if (!isFields(reason)) return undefined;
	const { data } = reason;
	const inner = isFields(data) ? [errorIn(data["response"]), errorIn(data), data] : [];
	return [...inner, errorIn(reason), reason].find(
		(one) => isFields(one) && typeof one["message"] === "string",
	);
}

function errorIn(value: unknown): Fields | undefined {
	const error = isFields(value) ? value["error"] : undefined;
	return isFields(error) ? error : undefined;
}
