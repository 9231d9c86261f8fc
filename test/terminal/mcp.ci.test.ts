import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { expect } from "vitest";
import { test } from "./terminal-test.ts";

test("servers are added, listed, tried and removed by commands", async ({ setup }) => {
	const add = setup.run(
		"mcp",
		"add",
		"notes",
		"--env",
		"LEVEL=1",
		"--write",
		setup.work,
		"--",
		"no-such-server",
		"-x",
	);
	expect(await add.ended()).toBe(0);
	expect(add.text).toContain("added notes");
	expect(parseJson(readFileSync(join(setup.data, "mcp.json"), "utf8"))).toEqual({
		servers: { notes: { command: "no-such-server", args: ["-x"], env: { LEVEL: "1" }, write: [setup.work] } },
		trusted: [],
	});
	const list = setup.run("mcp", "list");
	expect(await list.ended()).toBe(0);
	expect(list.text).toMatch(/notes +operator.*no-such-server -x/);
	const doctor = setup.run("mcp", "doctor");
	expect(await doctor.ended()).toBe(1);
	expect(doctor.text).toContain("✗ notes:");
	expect(await setup.run("mcp", "remove", "notes").ended()).toBe(0);
	const again = setup.run("mcp", "remove", "notes");
	expect(await again.ended()).toBe(2);
	expect(again.text).toContain('No server "notes" was added by a command');
});

test("the trust prompt shows the programs, and a change of the file needs trust again", async ({ setup }) => {
	mkdirSync(setup.work, { recursive: true });
	const file = join(setup.work, ".mcp.json");
	writeFileSync(file, JSON.stringify({ mcpServers: { shop: { command: "sh", args: ["serve.sh"] } } }));
	const first = setup.run("mcp", "trust", setup.work);
	await first.shows("[y/N]");
	expect(first.text).toMatch(/shop: \/\S+ serve\.sh/);
	first.type("y\r");
	expect(await first.ended()).toBe(0);
	expect(first.text).toContain("trusted shop");
	const list = setup.run("mcp", "list", "--dir", setup.work);
	await list.ended();
	expect(list.text).toMatch(/shop +trusted/);
	writeFileSync(file, JSON.stringify({ mcpServers: { shop: { command: "sh", args: ["other.sh"] } } }));
	const changed = setup.run("mcp", "list", "--dir", setup.work);
	await changed.ended();
	expect(changed.text).toMatch(/shop +changed/);
	const ended = setup.run("mcp", "untrust", setup.work);
	await ended.ended();
	expect(ended.text).toContain("no longer trusted: shop");
});
