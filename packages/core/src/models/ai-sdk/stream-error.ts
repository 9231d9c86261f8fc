import { ParleyError } from "@parley/base";
import { eventError, type Fields, isFields, type RequestFacts } from "../exchange/errors.ts";

/** Pattern of library errors about the form of an answer: https://ai-sdk.dev/docs/reference/ai-sdk-errors */
const formErrors = /^AI_(?:JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody)Error$/;

/**
 * Returns the `ModelError` for an error from the provider in a stream. Returns `reason` unchanged if `reason` contains
 * no such error.
 */
export function streamError(reason: unknown, facts: RequestFacts): unknown {
	if (reason instanceof ParleyError) return reason;
	if (isFields(reason) && formErrors.test(String(reason["name"]))) return reason;
	const sent = sentError(reason);
	return sent ? eventError({ error: sent }, undefined, facts) : reason;
}

/**
 * Returns the provider's error object: `reason` or an object in `reason`. Returns undefined if no object has a message.
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
