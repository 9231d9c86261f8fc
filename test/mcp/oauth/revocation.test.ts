import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@parley/base";
import { type McpLogin, revokeLogin } from "@parley/core";
import { expect, onTestFinished, test } from "vitest";

async function openServer() {
	const seen: (string | undefined)[] = [];
	const server = createServer((request, response) => {
		seen.push(request.headers.authorization);
		request.resume();
		response.end();
	}).listen(0, "127.0.0.1");
	onTestFinished(() => void server.close());
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	return { seen, url: `http://127.0.0.1:${port}` };
}

test("a revocation form-encodes the client id and the client secret", async () => {
	const { seen, url } = await openServer();
	const login: McpLogin = {
		id: "login_1",
		url,
		resource: url,
		server: {
			issuer: url,
			authorization_endpoint: url,
			token_endpoint: url,
			response_types_supported: ["code"],
			revocation_endpoint: `${url}/revoke`,
		},
		client: { client_id: "https://a.example/id", client_secret: "p: +%ä" },
		privateHosts: ["127.0.0.1"],
		accessToken: "token",
	};
	await expect(revokeLogin(login, true, systemClock)).resolves.toBe(true);
	const [, credentials = ""] = seen[0]?.split("Basic ") ?? [];
	expect(Buffer.from(credentials, "base64").toString()).toBe(
		"https%3A%2F%2Fa.example%2Fid:p%3A+%2B%25%C3%A4",
	);
});
