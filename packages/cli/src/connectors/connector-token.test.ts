import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectorToken, type TokenQuestion } from "./reach-gateway.ts";

type Request = TokenQuestion["gateway"]["request"];

function gatewayOf(tokens: { id: string; name: string; status: "active" | "revoked" }[]) {
	const request = async (method: string, params: { name: string }): Promise<unknown> => {
		if (method === "list_tokens") return { tokens };
		const id = `id${tokens.length}`;
		const info = { id, name: params.name, status: "active" as const };
		tokens.push(info);
		return { token: `gw_connector_${id}_secret`, info };
	};
	// The cast is safe for the two methods that this test uses.
	return { tokens, request: request as unknown as Request };
}

async function question(tokens: Parameters<typeof gatewayOf>[0] = []) {
	const data = await mkdtemp(join(tmpdir(), "parley-token-"));
	const file = join(data, "tokens", "connector-discord");
	return { data, file, platform: "discord", gateway: gatewayOf(tokens) };
}

test("creates the first token with the name of the platform, readable by this user only", async () => {
	const stopRequest = await question();
	expect(await connectorToken(stopRequest)).toBe("gw_connector_id0_secret");
	expect(stopRequest.gateway.tokens[0]?.name).toBe("discord");
	expect((await stat(stopRequest.file)).mode & 0o777).toBe(0o600);
	expect(await readFile(stopRequest.file, "utf8")).toBe("gw_connector_id0_secret\n");
});

test("reuses an active token", async () => {
	const stopRequest = await question();
	const first = await connectorToken(stopRequest);
	expect(await connectorToken(stopRequest)).toBe(first);
	expect(stopRequest.gateway.tokens).toHaveLength(1);
});

test("does not replace a revoked token, and prints the command that does", async () => {
	const stopRequest = await question();
	await connectorToken(stopRequest);
	const [firstToken] = stopRequest.gateway.tokens;
	if (firstToken) firstToken.status = "revoked";
	await expect(connectorToken(stopRequest)).rejects.toThrow(
		`is revoked; delete the token file, and the next start creates another token: rm '${stopRequest.file}'`,
	);
	await rm(stopRequest.file);
	expect(await connectorToken(stopRequest)).toBe("gw_connector_id1_secret");
});

test("replaces a token of another gateway", async () => {
	const stopRequest = await question([{ id: "other", name: "discord", status: "active" }]);
	await connectorToken(stopRequest);
	await writeFile(stopRequest.file, "gw_connector_lost_secret");
	expect(await connectorToken(stopRequest)).toBe("gw_connector_id2_secret");
	expect(stopRequest.gateway.tokens.map(({ name }) => name)).toEqual(["discord", "discord-2", "discord-3"]);
});
