import type { ServerResponse } from "node:http";
import { ParleyError } from "@parley/base";
import { contentType } from "../../../metrics/exposition.ts";

/** Answers a GET or HEAD of the metrics; with 403 if `render` throws `permission_denied`. */
export async function answerMetrics(
	response: ServerResponse,
	method: string | undefined,
	render: () => Promise<string>,
): Promise<void> {
	const { status, type, text } = await rendered(render);
	response.writeHead(status, {
		"content-type": type,
		"content-length": Buffer.byteLength(text),
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
	});
	response.end(method === "HEAD" ? undefined : text);
}

async function rendered(
	render: () => Promise<string>,
): Promise<{ status: number; type: string; text: string }> {
	try {
		return { status: 200, type: contentType, text: await render() };
	} catch (reason) {
		const { code, message } = ParleyError.from(reason);
		if (code !== "permission_denied") throw reason;
		return { status: 403, type: "application/json", text: JSON.stringify({ error: message }) };
	}
}
