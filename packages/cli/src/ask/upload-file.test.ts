import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { uploadFile } from "./upload-file.ts";

test("an error of the file is not reported as an error of the connection", async () => {
	const server = createServer((request) => request.resume());
	onTestFinished(() => void server.close());
	await once(server.listen(0, "127.0.0.1"), "listening");
	// The cast is safe because the server listens on TCP.
	const { port } = server.address() as AddressInfo;
	const address = { url: `http://127.0.0.1:${port}`, token: undefined, isLocal: true, isKnown: true };
	// The size of a directory can be read, but its content cannot.
	const path = tmpdir();
	await expect(uploadFile(address, path)).rejects.toThrow(
		`cannot read the file ${path}: check its path and its permissions`,
	);
});
