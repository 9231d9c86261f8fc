import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { expect } from "vitest";
import { documentedArguments } from "../docs/shell-blocks.ts";
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
	const repeated = setup.run("mcp", "remove", "notes");
	expect(await repeated.ended()).toBe(2);
	expect(repeated.text).toContain('no server "notes" was added with `parley mcp add`');
	// The gateway records configuration changes before it uses them.
	await setup.run("ask", "say: hi").ended();
	const audit = setup.run("audit", "--since", "1h", "--limit", "1000", "--json");
	await audit.ended();
	const all = audit.received;
	expect(all).toMatch(/"mcp\.add"[\s\S]*"notes"/);
	expect(all).toMatch(/"mcp\.remove"/);
	expect(all).not.toContain("LEVEL=1");
});

test("the trust prompt shows the programs, and a change to the file needs trust again", async ({ setup }) => {
	mkdirSync(setup.work, { recursive: true });
	const file = join(setup.work, ".mcp.json");
	const env = { LEVEL: "7" };
	const remote = { type: "sse", url: "https://example.com/mcp" };
	const steered = { command: "sh", env: { NODE_OPTIONS: "--require ./x.js" } };
	writeFileSync(
		file,
		JSON.stringify({ mcpServers: { shop: { command: "sh", args: ["serve.sh"], env }, remote, steered } }),
	);
	const first = setup.run("mcp", "trust", setup.work);
	await first.shows("[y/N]");
	expect(first.text).toMatch(/shop: \/\S+ serve\.sh\s+LEVEL=7/);
	expect(first.text).toContain("not used: remote: its type `sse` is the old transport of MCP");
	expect(first.text).toContain("not used: steered: the variable NODE_OPTIONS can make a program");
	expect(first.text).not.toContain("Warning");
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

test("trust in a server keeps the trust in other servers of its file, and granted rights are shown with a warning", async ({
	setup,
}) => {
	mkdirSync(setup.work, { recursive: true });
	const file = join(setup.work, ".mcp.json");
	const trusted = () => {
		const content = parseJson(readFileSync(join(setup.data, "mcp.json"), "utf8")) as {
			readonly trusted: readonly { readonly servers: object }[];
		};
		return content.trusted.map(({ servers }) => Object.keys(servers));
	};
	writeFileSync(file, JSON.stringify({ mcpServers: { a: { command: "sh" }, b: { command: "sh" } } }));
	await setup.run("mcp", "trust", setup.work, "--server", "a", "--yes").ended();
	const second = setup.run(
		"mcp",
		"trust",
		setup.work,
		"--server",
		"b",
		"--env-from",
		"SHOP_TOKEN",
		"--read",
		"/usr",
		"--host",
		"*.shop.example",
	);
	await second.shows("[y/N]");
	expect(second.text).toContain("all programs get the environment variable SHOP_TOKEN of the gateway");
	expect(second.text).toContain("all programs can read /usr");
	expect(second.text).toContain("all programs can reach *.shop.example over https");
	expect(second.text).toContain("Warning: scripts that these programs run also get these rights.");
	second.type("y\r");
	await second.ended();
	expect(trusted()).toEqual([["a", "b"]]);
	expect(readFileSync(join(setup.data, "mcp.json"), "utf8")).toContain("*.shop.example");
	writeFileSync(file, JSON.stringify({ mcpServers: { b: { command: "sh" } } }));
	await setup.run("mcp", "trust", setup.work, "--server", "b", "--yes").ended();
	expect(trusted()).toEqual([["b"]]);
});

test("the servers of an agent are listed and tried with its name, and servers for all agents precede them", async ({
	setup,
}) => {
	const place = join(setup.data, "agents", "gardener");
	mkdirSync(place, { recursive: true });
	const servers = { shared: { command: "sh" }, garden: { command: "no-such-server" } };
	writeFileSync(join(place, "mcp.json"), JSON.stringify({ servers }));
	await setup.run("mcp", "add", "shared", "--", "no-such-server").ended();
	const usual = setup.run("mcp", "list", "--json");
	await usual.ended();
	expect(usual.received).not.toContain('"garden"');
	const own = setup.run("mcp", "list", "--agent", "gardener");
	await own.ended();
	expect(own.text).toMatch(/garden +operator/);
	expect(own.text).toContain(
		"not used: shared: a server for all agents has the same name; rename one of the",
	);
	const doctor = setup.run("mcp", "doctor", "--agent", "gardener");
	expect(await doctor.ended()).toBe(1);
	expect(doctor.text).toContain("✗ garden:");
	for (const command of ["list", "doctor"]) {
		const unknown = setup.run("mcp", command, "--agent", "nobody");
		expect(await unknown.ended()).toBe(2);
		expect(unknown.text).toContain('unknown agent "nobody"');
	}
	await setup.run("mcp", "remove", "shared").ended();
});

test("doctor fails for an invalid file, a lost path and a missing variable, and shows no secret", async ({
	setup,
}) => {
	const file = join(setup.data, "mcp.json");
	writeFileSync(file, '{"servers": {"a": {}}}');
	const invalid = setup.run("mcp", "doctor");
	expect(await invalid.ended()).not.toBe(0);
	expect(invalid.text).toContain("is not valid");
	const servers = {
		// HOME represents a secret here, and the error message contains a path below the home directory.
		lost: { command: "sh", read: [join(setup.work, "lost")], envFrom: ["HOME"] },
		missing: { command: "sh", envFrom: ["ABSENT_TOKEN"] },
	};
	writeFileSync(file, JSON.stringify({ servers }));
	const doctor = setup.run("mcp", "doctor", "--dir", "/usr");
	expect(await doctor.ended()).toBe(1);
	expect(doctor.text).toMatch(/✗ lost: its path [\s\S]+does not exist/);
	expect(doctor.text).toContain(
		"✗ missing: the environment of the gateway does not contain ABSENT_TOKEN: add the",
	);
	expect(doctor.text).not.toContain(setup.work);
});

test("the trust prompt shows a remote server with its address and headers, and grants only what is named", async ({
	setup,
}) => {
	mkdirSync(setup.work, { recursive: true });
	const file = join(setup.work, ".mcp.json");
	const token = `Bearer \${TRACKER_TOKEN}`;
	const tracker = {
		type: "http",
		url: "https://\u0430pple.example/mcp?team=a",
		headers: { Authorization: token },
	};
	const leaky = { url: "https://user:pass-word@mcp.example.com/" };
	const lost = { command: "no-such-server" };
	const mcpServers = { tracker: { ...tracker, headersHelper: "x" }, leaky, lost, shop: { command: "sh" } };
	writeFileSync(file, JSON.stringify({ mcpServers }));
	const list = setup.run("mcp", "list", "--dir", setup.work, "--json");
	await list.ended();
	expect(list.received).toContain('"command": "https://xn--pple-43d.example/mcp?team=a"');
	const grant = documentedArguments(
		"mcp: parley mcp trust ~/projects/shop --server tracker --env-from TRACKER_TOKEN",
		[["~/projects/shop", setup.work]],
	);
	const named = setup.run(...grant);
	await named.shows("[y/N]");
	expect(named.text).not.toContain("shop:");
	named.type("n\r");
	expect(await named.ended()).toBe(1);
	const needs = setup.run("mcp", "trust", setup.work, "--server", "tracker", "--yes");
	expect(await needs.ended()).toBe(2);
	expect(needs.text.replaceAll(/\s+/g, "")).toContain("--env-fromTRACKER_TOKEN");
	const options = ["--env-from", "TRACKER_TOKEN", "--env-from", "OTHER_TOKEN"];
	const all = setup.run("mcp", "trust", setup.work, ...options);
	await all.shows("[y/N]");
	const shown = all.text.replaceAll(/\s+/g, " ");
	expect(shown).toContain("tracker: https://xn--pple-43d.example/mcp?team=a");
	expect(shown).toContain("sends its requests only to https://xn--pple-43d.example");
	expect(shown).toContain(`header authorization: ${token}`);
	expect(shown).toContain("gets the environment variable TRACKER_TOKEN of the gateway in its headers");
	expect(shown).toContain("these fields have no effect: headersHelper");
	expect(shown).toContain("not used: leaky: its address contains a user name or a password");
	expect(shown).toContain("all programs get the environment variable OTHER_TOKEN");
	expect(shown).toContain('not used: lost: there is no executable program "no-such-server"');
	expect(shown).not.toContain("pass-word");
	all.type("y\r");
	expect(await all.ended()).toBe(0);
	const stored = readFileSync(join(setup.data, "mcp.json"), "utf8");
	const content = parseJson(stored) as { readonly trusted: readonly { readonly servers: object }[] };
	expect(content.trusted[0]?.servers).toMatchObject({
		tracker: { url: "https://xn--pple-43d.example/mcp?team=a", envFrom: ["TRACKER_TOKEN"] },
	});
	expect(readFileSync(join(setup.data, "mcp-changes.jsonl"), "utf8")).not.toContain("team=a");
	const text = async () => {
		const one = setup.run("mcp", "list", "--dir", setup.work);
		await one.ended();
		return one.text;
	};
	await expect(text()).resolves.toMatch(/tracker +trusted/);
	writeFileSync(file, JSON.stringify({ mcpServers: { tracker, constructor: { command: "sh" } } }));
	await expect(text()).resolves.toMatch(/tracker +changed[\s\S]*constructor +untrusted/);
});
