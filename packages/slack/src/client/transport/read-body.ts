import { ParleyError, parseJson } from "@parley/base";

/** A press comes with the message that it was made on, and a table in that has thousands of parts. */
const limits = { maxNodes: 200_000 };

/**
 * The body of a request of Slack's: events are JSON, commands are a form, and interactions are a form with JSON in its
 * `payload`: https://docs.slack.dev/interactivity/handling-user-interaction#payloads. Throws what is none of these.
 */
export function readBody(text: string, contentType: string): Readonly<Record<string, unknown>> {
	if (!contentType.startsWith("application/x-www-form-urlencoded")) return asObject(parseJson(text, limits));
	const form = new URLSearchParams(text);
	const payload = form.get("payload");
	return payload === null ? Object.fromEntries(form) : asObject(parseJson(payload, limits));
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw new ParleyError("the body is no object", { code: "invalid_argument" });
	}
	return { ...value };
}
