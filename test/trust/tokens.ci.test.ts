import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paced } from "@parley/base/testing";
import { test as base, expect } from "vitest";
import { WebSocket } from "ws";
import { binary, choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";

interface Ended {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

interface Setup {
	readonly url: string;
	readonly data: string;
	/** Runs `parley token …` with this gateway. */
	token(...args: readonly string[]): Promise<Ended>;
	stop(): Promise<void>;
}

const test = base.extend<{ setup: Setup }>({
	// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from this pattern
	setup: async ({}, use) => {
		const directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-tokens-")));
		const data = join(directory, "data");
		const port = await choosePort();
		const environment = { PARLEY_AUTH: "token" };
		const gateway = new GatewayProcess({ port, data, root: directory, environment });
		if (!(await gateway.ready)) throw new Error(gateway.stderr.join("\n"));
		await use({
			...{ url: `http://127.0.0.1:${port}`, data },
			token: (...args) => run(directory, ["token", ...args, "--data", data]),
			async stop() {
				gateway.kill("SIGTERM");
				await gateway.exited;
			},
		});
		gateway.kill("SIGKILL");
		await gateway.exited;
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

async function statusOf({ url }: Setup, token: string): Promise<number> {
	const headers = { authorization: `Bearer ${token.trim()}`, connection: "close" };
	return (await fetch(`${url}/api/sessions`, { headers })).status;
}

test("tokens are created, listed, rotated and revoked at the command line", {
	timeout: paced(patienceMs * 3),
}, async ({ setup }) => {
	const created = await setup.token("create", "observer", "wall", "--days", "7");
	expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^gw_observer_\S+\n$/) });
	expect(created.stderr).toMatch(/^observer token wall \([0-9a-z]{8}\) expires in \d+ \w+\./);
	expect(await statusOf(setup, created.stdout)).toBe(200);
	const socket = new WebSocket(`${setup.url.replace("http", "ws")}/api/ws`, {
		headers: { authorization: `Bearer ${created.stdout.trim()}` },
	});
	const closed = new Promise((resolve) => socket.on("close", resolve));
	await new Promise((resolve) => socket.on("open", resolve));
	const guilds = ["--tenant", "1", "--tenant", "2"];
	const connector = ["create", "connector", "chat", "--platform", "discord", ...guilds];
	const asJson = await setup.token(...connector, "--json");
	expect(JSON.parse(asJson.stdout)).toMatchObject({
		token: expect.stringMatching(/^gw_connector_/),
		info: { kind: "connector", name: "chat", platform: "discord", status: "active" },
	});
	expect(asJson.stderr).toBe("");
	const listed = await setup.token("list");
	expect(listed.stdout).toMatch(/^ID +KIND +NAME .*\n/);
	expect(listed.stdout).toMatch(/\nc?\S{8} +connector +chat +discord 1 2 +never +does not expire\n/);
	expect(listed.stdout).not.toContain("gw_");
	const rotated = await setup.token("rotate", "wall");
	expect(await closed).toBe(4001);
	expect([await statusOf(setup, created.stdout), await statusOf(setup, rotated.stdout)]).toEqual([401, 200]);
	const revoked = await setup.token("revoke", "wall");
	expect(revoked.stdout).toMatch(/^revoked the observer token wall \([0-9a-z]{8}\)\n$/);
	expect(await statusOf(setup, rotated.stdout)).toBe(401);
	const refused = [
		[2, "parley token list", "revoke", "wall"],
		[2, "parley token rotate chat", "create", "observer", "chat"],
		[1, "parley token rotate operator", "revoke", "operator"],
		[2, "observer, connector, operator", "create", "admin", "x"],
	] as const;
	const answers = await Promise.all(refused.map(([_code, _message, ...args]) => setup.token(...args)));
	for (const [n, [code, message]] of refused.entries()) {
		expect(answers[n]).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
	}
});

test("the operator's token is rotated in its file, and the next command uses it", {
	timeout: paced(patienceMs * 2),
}, async ({ setup }) => {
	const path = join(setup.data, "tokens", "operator");
	const before = readFileSync(path, "utf8");
	const rotated = await setup.token("rotate", "operator");
	expect(rotated).toMatchObject({ code: 0, stderr: expect.stringContaining("data directory") });
	expect(readFileSync(path, "utf8")).toBe(rotated.stdout);
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect([await statusOf(setup, before), await statusOf(setup, rotated.stdout)]).toEqual([401, 200]);
	expect((await setup.token("list")).code).toBe(0);
	await setup.stop();
	expect(await setup.token()).toMatchObject({ code: 0, stdout: rotated.stdout });
	const away = await setup.token("list");
	expect(away.code).toBe(1);
	expect(away.stderr).toContain("parley start");
});
