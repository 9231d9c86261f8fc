import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { documented } from "../docs/shell-blocks.ts";
import { browse, openAuthorizationServer } from "../mcp/oauth/authorization-server.ts";
import { openProtectedServer } from "../mcp/oauth/protected-server.ts";
import type { Screen } from "./screen.ts";
import { test } from "./terminal-test.ts";

const scope = "mcp:tools";

async function addressIn(login: Screen): Promise<URL> {
	await login.shows("copy the complete address");
	const [, address = ""] = /\n\n(http[\s\S]+?)\n\n/.exec(login.text) ?? [];
	return new URL(address.replaceAll("\n", ""));
}

test("a login ends in the browser of this machine or with a pasted address, and a logout ends it", async ({
	setup,
}) => {
	await using authorization = await openAuthorizationServer(scope);
	await using server = await openProtectedServer(authorization, scope);
	await setup.run("mcp", "add", "tracker", server.url, "--allow-private").ended();
	const before = setup.run("mcp", "doctor");
	expect(await before.ended()).toBe(1);
	expect(before.text).toContain("✗ tracker: it requires a login: run `parley mcp login tracker`");

	const [loginLine = "", logoutLine = ""] = documented("mcp: parley mcp login tracker").trim().split("\n");
	const login = setup.run(...loginLine.split(" ").slice(1));
	const place = await browse(await addressIn(login));
	expect(place.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
	const wrong = new URL(place);
	wrong.searchParams.set("state", "another");
	expect((await fetch(wrong)).status).toBe(400);
	expect((await fetch(place, { method: "POST" })).status).toBe(400);
	await expect((await fetch(place)).text()).resolves.toContain("Close this page");
	expect(await login.ended()).toBe(0);
	expect(login.text).toContain("logged in to tracker");
	const doctor = setup.run("mcp", "doctor");
	expect(await doctor.ended()).toBe(0);
	expect(doctor.text).toContain("✓ tracker");
	const list = setup.run("mcp", "list");
	await list.ended();
	expect(list.text).toMatch(/tracker +operator +yes/);
	expect(readFileSync(join(setup.data, "mcp-logins.json"), "utf8")).not.toContain("access");

	const secondLogin = setup.run("mcp", "login", "tracker");
	const pasted = await browse(await addressIn(secondLogin));
	secondLogin.type("https://other.example/\r");
	await secondLogin.shows("This is not the final address of this login");
	secondLogin.type(`${pasted.href}\r`);
	expect(await secondLogin.ended()).toBe(0);

	const logout = setup.run(...logoutLine.split(" ").slice(1));
	expect(await logout.ended()).toBe(0);
	expect(logout.text).toContain("logged out of tracker");
	const twice = setup.run("mcp", "logout", "tracker");
	expect(await twice.ended()).toBe(2);
	expect(twice.text).toContain('cannot log out of the server "tracker"');
});

test("removing a server ends its login as a logout does", async ({ setup }) => {
	await using authorization = await openAuthorizationServer(scope);
	await using server = await openProtectedServer(authorization, scope);
	const revoked: string[] = [];
	authorization.provider.on("access_token.destroyed", ({ jti }) => revoked.push(jti));
	authorization.provider.on("refresh_token.destroyed", ({ jti }) => revoked.push(jti));
	await setup.run("mcp", "add", "garden", server.url, "--allow-private").ended();
	const login = setup.run("mcp", "login", "garden");
	await fetch(await browse(await addressIn(login)));
	expect(await login.ended()).toBe(0);
	const remove = setup.run("mcp", "remove", "garden");
	expect(await remove.ended()).toBe(0);
	expect(remove.text).toContain("removed garden, and logged out of it");
	expect(revoked).not.toEqual([]);
	const notes = readFileSync(join(setup.data, "mcp-changes.jsonl"), "utf8");
	expect(notes).toMatch(/"mcp\.remove","object":"garden"[\s\S]*"mcp\.logout","object":"garden"/);
	expect(readFileSync(join(setup.data, "mcp-logins.json"), "utf8")).not.toContain("garden");
});

test("a login requires a remote server without its own token", async ({ setup }) => {
	await setup.run("mcp", "add", "local", "sh").ended();
	await setup.run("mcp", "add", "fixed", "https://mcp.example/mcp", "--token-from", "HOME").ended();
	const local = setup.run("mcp", "login", "local");
	expect(await local.ended()).toBe(2);
	expect(local.text).toContain('unknown remote server "local"');
	const fixed = setup.run("mcp", "login", "fixed");
	expect(await fixed.ended()).toBe(2);
	expect(fixed.text).toContain('the server "fixed" gets its token');
});

test("a login at a trusted server of a directory is its own, and ends with the trust", async ({ setup }) => {
	await using authorization = await openAuthorizationServer(scope);
	await using server = await openProtectedServer(authorization, scope);
	await setup.run("mcp", "remove", "tracker").ended();
	const other = join(setup.work, "other");
	mkdirSync(other, { recursive: true });
	const file = JSON.stringify({ mcpServers: { tracker: { type: "http", url: server.url } } });
	for (const directory of [setup.work, other]) writeFileSync(join(directory, ".mcp.json"), file);
	const early = setup.run("mcp", "login", "tracker", "--dir", setup.work);
	expect(await early.ended()).toBe(2);
	expect(early.text).toContain("run `parley mcp trust DIR` first");
	for (const directory of [setup.work, other]) {
		expect(await setup.run("mcp", "trust", directory, "--allow-private", "--yes").ended()).toBe(0);
	}
	const doctor = setup.run("mcp", "doctor", "--dir", setup.work);
	await doctor.ended();
	expect(doctor.text.replaceAll(/\s+/g, " ")).toContain(
		"✗ tracker: it requires a login: run `parley mcp login tracker --dir",
	);
	const block = documented("mcp: parley mcp login tracker --dir ~/projects/shop", [
		["~/projects/shop", setup.work],
	]);
	const [loginLine = "", logoutLine = ""] = block.trim().split("\n");
	const login = setup.run(...loginLine.split(" ").slice(1));
	await fetch(await browse(await addressIn(login)));
	expect(await login.ended()).toBe(0);
	const after = setup.run("mcp", "doctor", "--dir", setup.work);
	await after.ended();
	expect(after.text).toContain("✓ tracker");
	const apart = setup.run("mcp", "doctor", "--dir", other);
	await apart.ended();
	expect(apart.text).toContain("✗ tracker");
	const list = setup.run("mcp", "list", "--dir", setup.work);
	await list.ended();
	expect(list.text).toMatch(/tracker +trusted +yes/);
	expect(readFileSync(join(setup.data, "mcp-logins.json"), "utf8")).not.toContain("access");
	const elsewhere = setup.run("mcp", "untrust", other);
	await elsewhere.ended();
	expect(elsewhere.text).not.toContain("logged out");
	const untrust = setup.run("mcp", "untrust", setup.work);
	await untrust.ended();
	expect(untrust.text).toContain("logged out of tracker");
	expect(untrust.text).not.toContain("valid until");
	expect(readFileSync(join(setup.data, "mcp-logins.json"), "utf8")).not.toContain("tracker");
	const afterLogout = setup.run(...logoutLine.split(" ").slice(1));
	expect(await afterLogout.ended()).toBe(2);
});
