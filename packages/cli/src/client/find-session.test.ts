import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { findSession } from "./find-session.ts";

test("finds a session by four characters of its id, and rejects ambiguous ids", async () => {
	const ids = ["sess_abcde1", "sess_abcde2", "sess_xyzzy"];
	await using server = createServer((request, response) => {
		const prefix = new URL(request.url ?? "", "http://gateway").searchParams.get("id") ?? "";
		const found = ids.filter((id) => id.startsWith(prefix)).map((id) => ({ id, title: "Tides" }));
		response.setHeader("content-type", "application/json").end(JSON.stringify(found));
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a port, not on a path.
	const { port } = server.address() as AddressInfo;
	const address = { url: `http://127.0.0.1:${port}` };
	for (const given of ["sess_xyzz", "xyzz", "sess_xyzzy"]) {
		expect(await findSession(address, given)).toMatchObject({ id: "sess_xyzzy" });
	}
	await expect(findSession(address, "abcd")).rejects.toThrow(
		"several sessions have an id that begins with abcd; use one of these ids:\n  sess_abcde1  Tides\n  sess_abcde2  Tides",
	);
	for (const given of ["sess_", "s", "sess_xyz"]) {
		await expect(findSession(address, given)).rejects.toThrow("is too short for an id");
	}
	await expect(findSession(address, "sess")).rejects.toMatchObject({ code: "not_found" });
});
