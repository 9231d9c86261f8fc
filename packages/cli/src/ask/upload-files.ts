import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { ParleyError, parseJson } from "@parley/base";
import { UploadedFile } from "@parley/protocol";
import type { GatewayAddress } from "../gateway-address.ts";
import { answerError, beginRequest, unreachable } from "../gateway-http.ts";

/** Throws `invalid_argument` for the first that is no file. */
export async function checkFiles(paths: readonly string[]): Promise<void> {
	for (const path of paths) {
		const found = await stat(path).catch((cause: unknown) => {
			throw new ParleyError(`the file ${path} cannot be read`, { code: "invalid_argument", cause });
		});
		if (!found.isFile()) throw new ParleyError(`${path} is not a file`, { code: "invalid_argument" });
	}
}

/** Hands the files to the gateway, one after the other, and returns the ids under which it keeps them. */
export async function uploadFiles(address: GatewayAddress, paths: readonly string[]): Promise<string[]> {
	const ids: string[] = [];
	for (const path of paths) ids.push(await upload(address, path));
	return ids;
}

async function upload(address: GatewayAddress, path: string): Promise<string> {
	const { size } = await stat(path);
	const target = `/api/files?name=${encodeURIComponent(basename(path))}`;
	// What is too large is refused before any of it is sent.
	const headers = { "content-length": String(size), expect: "100-continue" };
	const request = beginRequest(address, target, { method: "POST", headers });
	const failure = Promise.withResolvers<never>();
	request.once("continue", () => pipeline(createReadStream(path), request).catch(failure.reject));
	request.flushHeaders();
	const answered: Promise<IncomingMessage[]> = once(request, "response");
	const [response] = await Promise.race([answered, failure.promise]).catch((cause: unknown) => {
		throw unreachable(address, cause);
	});
	const { statusCode: status = 0 } = response ?? {};
	const body = response ? await text(response) : "";
	if (status === 201) return UploadedFile.parse(parseJson(body)).file_id;
	const { message, code } = answerError(address, { status, text: body });
	throw new ParleyError(`${path} was not taken: ${message}`, { code });
}
