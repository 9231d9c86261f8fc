import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { paced } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { test as base, expect } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { binary, choosePort, GatewayProcess } from "../gateway-process.ts";

interface Ended {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

interface Setup {
	readonly data: string;
	parley(...args: readonly string[]): Promise<Ended>;
	connect(token: string): Promise<OzzieClient>;
	restart(): Promise<void>;
}

const test = base.extend<{ setup: Setup }>({
	// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from this pattern
	setup: async ({}, use) => {
		const directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-people-")));
		const data = join(directory, "data");
		const port = await choosePort();
		const environment = { PARLEY_AUTH: "token", PARLEY_SANDBOX: "required", PARLEY_PROVIDER: "offline" };
		const start = async (): Promise<GatewayProcess> => {
			const started = new GatewayProcess({ port, data, root: directory, environment });
			if (!(await started.ready)) throw new Error(started.stderr.join("\n"));
			return started;
		};
		let gateway = await start();
		const stop = async (): Promise<void> => {
			gateway.kill("SIGKILL");
			await gateway.exited;
		};
		await use({
			data,
			parley: (...args) => run(directory, [...args, "--data", data]),
			connect: (token) => {
				const headers = { authorization: `Bearer ${token.trim()}` };
				return OzzieClient.connect(`http://127.0.0.1:${port}`, { headers });
			},
			async restart() {
				await stop();
				gateway = await start();
			},
		});
		await stop();
		rmSync(directory, { recursive: true, force: true });
	},
});

function run(home: string, args: readonly string[]): Promise<Ended> {
	return new Promise((resolve) => {
		const env = { PATH: process.env["PATH"], HOME: home };
		execFile(process.execPath, [binary, ...args], { env, cwd: home }, (error, stdout, stderr) => {
			resolve({ code: Number(error?.code ?? 0), stdout, stderr });
		});
	});
}

function as(user: string, channel = "general"): object {
	return { actor: { id: user, name: user }, place: { tenant: "111", channel } };
}

test("the first owner pairs with the code of the terminal, other people pair by approval, and the roles are durable", {
	timeout: paced(120_000),
}, async ({ setup }) => {
	const { parley } = setup;
	const { stdout: token } = await parley("token", "create", "connector", "discord", "--platform", "discord");
	const connector = await setup.connect(token);
	expect(await connector.refusal("open_session", as("olga"))).toContain(
		"connectors of discord may not act for this server or workspace (111)",
	);
	expect((await parley("people")).stdout).toContain("No chat user has access");
	const invited = await parley("people", "pair", "--role", "owner", "--platform", "discord");
	expect(invited.stdout).toMatch(/^[2-9A-HJ-NP-Z]{8}\n$/);
	expect(invited.stderr).toContain("gets the role owner. The code expires at");
	const code = invited.stdout.trim();
	expect(await connector.call("pair", { code, ...as("olga") })).toMatchObject({ role: "owner" });
	const request = await connector.call("pair", as("ada"));
	const approved = await parley("people", "approve", String(request["code"]), "--role", "member");
	expect(approved.stdout).toBe("discord:111:ada (ada) has the role member\n");
	const { session_id } = await connector.call("open_session", as("ada"));
	await setup.restart();
	await using reconnected = await setup.connect(token);
	await reconnected.call("open_session", { session_id, ...as("ada") });
	expect(await reconnected.call("whoami", as("olga"))).toMatchObject({ role: "owner" });
	expect((await parley("people", "role", "discord:111:ada", "guest")).code).toBe(0);
	expect(await reconnected.call("whoami", as("ada"))).toMatchObject({ role: "guest" });
	expect((await parley("people", "remove", "discord:111:ada")).code).toBe(0);
	expect(await reconnected.refusal("send_message", { content: "hi", ...as("ada") })).toContain(
		"discord:111:ada has no access",
	);
	const { people } = parseJson((await parley("people", "list", "--json")).stdout) as { people: object[] };
	expect(people).toMatchObject([{ person: "discord:111:olga", role: "owner" }]);
	const refused = await parley("people", "role", "discord:999:ada", "guest");
	expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("chat.tenants.discord") });
	const audit = (await parley("audit")).stdout;
	for (const action of ["person.invite", "person.pair", "person.approve", "person.role", "person.remove"]) {
		expect(audit).toContain(action);
	}
	expect(audit).not.toContain(code);
});

test("the operator sees waiting requests, their requesters, and the command to refuse", {
	timeout: paced(120_000),
}, async ({ setup }) => {
	const { parley, data } = setup;
	const created = await parley("token", "create", "connector", "discord", "--platform", "discord");
	await using connector = await setup.connect(created.stdout);
	const { stdout: code } = await parley("people", "pair", "--role", "owner");
	await connector.call("pair", { code: code.trim(), ...as("olga") });
	await connector.call("pair", as("eve"));
	await parley("people", "pair", "--platform", "discord", "--tenant", "111");
	const people = (await parley("people")).stdout;
	expect(people).toMatch(/^request +eve +discord +111 +eve +60 min +pairing_\w+$/m);
	expect(people).toMatch(/^invitation +discord +111 +member +60 min +pairing_\w+$/m);
	expect((await parley("status")).stdout).toMatch(/^waiting +1 person requests access: parley people$/m);
	const [, invitation = ""] = /^invitation .* (pairing_\w+)$/m.exec(people) ?? [];
	expect((await parley("people", "deny", "eve")).stdout).toContain(
		"denied the request of discord:111:eve (eve)",
	);
	expect((await parley("people", "deny", invitation)).stdout).toContain(
		`cancelled the invitation ${invitation}`,
	);
	expect(await parley("people", "deny", "NOBODY")).toMatchObject({
		code: 1,
		stderr: expect.stringContaining("parley people list shows the ids"),
	});
	expect((await parley("status")).stdout).not.toContain("waiting");
	const nothing = await parley("channels", "set", "discord:111:general");
	expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining("--agent, --model, --tools") });
	const refused = await parley("channels", "set", "discord:111:general", "--root", join(data, ".."));
	expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("contains the data directory") });
	expect((await parley("audit")).stdout.match(/person\.withdraw/g)).toHaveLength(2);
});

test("the commands of a channel work in its workspace, and reach no other directory", {
	timeout: paced(120_000),
}, async ({ setup }) => {
	const { parley, data } = setup;
	const created = await parley(
		"token",
		"create",
		"connector",
		"discord",
		"--platform",
		"discord",
		"--tenant",
		"111",
	);
	await using connector = await setup.connect(created.stdout);
	await using operator = await setup.connect((await readOperatorToken(data)) ?? "");
	await parley("people", "role", "discord:111:olga", "owner");
	const other = String((await connector.call("open_session", as("olga", "other")))["session_id"]);
	const own = String((await connector.call("open_session", as("olga")))["session_id"]);
	expect(readdirSync(join(data, "workspaces")).sort()).toEqual([other, own].sort());
	const workspace = join(data, "workspaces", own);
	symlinkSync(data, join(workspace, "link"));
	symlinkSync(`../${other}`, join(workspace, "other"));
	const answerOf = async (content: string, by: OzzieClient, person: object): Promise<string> => {
		await connector.call("send_message", { content, ...as("olga") });
		for (;;) {
			const { event, payload } = await connector.event();
			if (event === "prompt.request")
				await by.call("prompt_response", { token: payload["token"], value: true, ...person });
			if (event === "assistant.message") return JSON.stringify(payload);
		}
	};
	const stored = await answerOf("run: echo mine >kept.txt && cat kept.txt", connector, as("olga"));
	expect(stored).toContain(hasBubblewrap ? "mine" : "there is none");
	for (const command of [
		"ls -A .. ../.. link link/tokens other",
		"cat ../../parley.sqlite link/parley.sqlite ../../tokens/operator",
		`echo x >../${other}/planted; echo x >other/planted; echo x >../../planted`,
		`cd ..; ls; cd ..; ls -R; mount; cat /proc/*/environ`,
	]) {
		const output = await answerOf(`run: ${command}; echo the end`, operator, {});
		if (hasBubblewrap) expect(output).toContain("the end");
		expect(output.replaceAll(command, "")).not.toMatch(
			/SQLite format|gw_operator|parley\.sqlite-wal|PARLEY_AUTH/,
		);
	}
	expect(readdirSync(join(data, "workspaces", other))).toEqual([]);
	expect(readdirSync(data)).not.toContain("planted");
	for (const path of [
		"../../parley.sqlite",
		"link/parley.sqlite",
		`../${other}`,
		"other/x",
		`${data}/tokens/operator`,
	]) {
		expect(await answerOf(`read: ${path}`, operator, {})).toContain("it belongs to the gateway");
	}
	await connector.call("delete_session", { session_id: own, ...as("olga") });
	expect(readdirSync(join(data, "workspaces"))).toEqual([other]);
});
