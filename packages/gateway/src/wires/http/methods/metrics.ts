import type { ServerResponse } from "node:http";
import { ParleyError } from "@parley/base";
import type { Exposition } from "../../../metrics/metrics.ts";

/** Answers a GET or HEAD of the metrics; with 403 if `scrape` throws `permission_denied`. */
export async function answerMetrics(
	response: ServerResponse,
	method: string | undefined,
	scrape: () => Promise<Exposition>,
): Promise<void> {
	const { status, type, text } = await answerTo(scrape);
	response.writeHead(status, {
		"content-type": type,
		"content-length": Buffer.byteLength(text),
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
	});
	response.end(method === "HEAD" ? undefined : text);
}

async function answerTo(
	scrape: () => Promise<Exposition>,
): Promise<{ status: number; type: string; text: string }> {
	try {
		const { contentType, text } = await scrape();
		return { status: 200, type: contentType, text };
	} catch (reason) {
		const { code, message } = ParleyError.from(reason);
		if (code !== "permission_denied") throw reason;
		return { status: 403, type: "application/json", text: JSON.stringify({ error: message }) };
	}
}
