import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { ParleyError, parseJson } from "@parley/base";
import { UploadedFile } from "@parley/protocol";
import type { GatewayAddress } from "../client/gateway-address.ts";
import { answerError, beginRequest, unreachable } from "../client/gateway-http.ts";
import { askTexts } from "../texts/ask.ts";

/** Uploads a file and returns its id in the gateway. */
export async function uploadFile(address: GatewayAddress, path: string): Promise<string> {
	const { size } = await stat(path);
	const target = `/api/files?name=${encodeURIComponent(basename(path))}`;
	// With `100-continue`, the gateway can refuse an oversized file before the client sends the content.
	const headers = { "content-length": String(size), expect: "100-continue" };
	const request = beginRequest(address, target, { method: "POST", headers });
	const failure = Promise.withResolvers<never>();
	request.once("continue", () => {
		const content = createReadStream(path);
		content.once("error", (cause) => failure.reject(unreadable(path, cause)));
		pipeline(content, request).catch(failure.reject);
	});
	request.flushHeaders();
	const answered: Promise<IncomingMessage[]> = once(request, "response");
	const [response] = await Promise.race([answered, failure.promise]).catch((cause: unknown) => {
		throw cause instanceof ParleyError ? cause : unreachable(address, cause);
	});
	const { statusCode: status = 0 } = response ?? {};
	const body = response ? await text(response) : "";
	if (status === 201) return UploadedFile.parse(parseJson(body)).file_id;
	const { message, code } = answerError(address, { status, text: body });
	throw new ParleyError(askTexts.notUploaded({ path, reason: message }), { code });
}

function unreadable(path: string, cause: unknown): ParleyError {
	return new ParleyError(askTexts.unreadableFile({ path }), { code: "invalid_argument", cause });
}
