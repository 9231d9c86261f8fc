import { execFile, execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test as base, expect } from "vitest";
import { WebSocket } from "ws";
import { choosePort, GatewayProcess } from "../gateway-process.ts";

const run = promisify(execFile);
/** User id of `nobody` on Linux. */
const foreignUser = 65_534;
const isRoot = process.getuid?.() === 0;

/** Programs that are in a directory that every user can read. */
interface Setup {
	readonly directory: string;
	readonly node: string;
	readonly program: string;
}

const test = base.extend<{ setup: Setup; gateway: { readonly port: number; readonly data: string } }>({
	// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from this pattern
	setup: async ({}, use) => {
		const directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-others-")));
		chmodSync(directory, 0o755);
		const [node, program] = [join(directory, "node"), join(directory, "stranger.mjs")];
		copyFileSync(process.execPath, node);
		copyFileSync(fileURLToPath(new URL("./stranger.mjs", import.meta.url)), program);
		for (const path of [node, program]) chmodSync(path, 0o755);
		await use({ directory, node, program });
		rmSync(directory, { recursive: true, force: true });
	},
	gateway: async ({ setup }, use) => {
		const port = await choosePort();
		const data = join(setup.directory, "data");
		const gateway = new GatewayProcess({ port, data, root: setup.directory });
		if (!(await gateway.ready)) throw new Error(gateway.stderr.join("\n"));
		await use({ port, data });
		gateway.kill("SIGKILL");
		await gateway.exited;
	},
});

/** Returns the titles of the sessions. A changed title would show that a request of the other user had an effect. */
async function titles(port: number): Promise<string[]> {
	const answer = await fetch(`http://127.0.0.1:${port}/api/sessions`, { headers: { connection: "close" } });
	// The cast is safe because the gateway's list has these fields.
	return ((await answer.json()) as { title: string }[]).map(({ title }) => title);
}

async function sendAs(
	{ node, program }: Setup,
	args: readonly string[],
	uid?: number,
): Promise<{ readonly status?: number; readonly error?: string; readonly uid?: number }> {
	const options = { env: {}, ...(uid !== undefined && { uid, gid: uid }) };
	const { stdout } = await run(node, [program, ...args], options);
	// The cast is safe because the program prints one line of this type.
	return JSON.parse(stdout) as { status?: number };
}

test.skipIf(!isRoot)("another user of the machine is refused", async ({ setup, gateway }) => {
	const outcome = await sendAs(setup, ["127.0.0.1", String(gateway.port)], foreignUser);
	expect(outcome).toEqual({ status: 401, uid: foreignUser });
	const own = await sendAs(setup, ["127.0.0.1", String(gateway.port)]);
	expect(own).toEqual({ status: 101, uid: process.getuid?.() });
});

test.skipIf(!isRoot)(
	"a request of a user who closes the socket immediately has no effect",
	async ({ setup, gateway }) => {
		const attempts = Array.from({ length: 20 }, () =>
			sendAs(setup, ["127.0.0.1", String(gateway.port), "and-close"], foreignUser),
		);
		for (const outcome of await Promise.all(attempts)) expect(outcome.error ?? outcome.status).toBe(0);
		// The response to this later request shows that the gateway has handled all earlier requests.
		expect(await titles(gateway.port)).not.toContain("stolen");
	},
);

/** Address of the gateway on the cable. */
const host = "10.213.77.1";

/**
 * Creates the network namespaces `NAMEa` and `NAMEb` and connects them by a virtual cable. The machine's own namespace
 * stays unchanged, because a browser aborts its requests when an interface changes there. Returns false if a step fails,
 * for example without the permission to create a namespace.
 */
function layCable(name: string): boolean {
	try {
		for (const words of [
			`netns add ${name}a`,
			`netns add ${name}b`,
			`-n ${name}a link add cable type veth peer name cable netns ${name}b`,
			`-n ${name}a addr add ${host}/24 dev cable`,
			`-n ${name}b addr add 10.213.77.2/24 dev cable`,
			`-n ${name}a link set cable up`,
			`-n ${name}b link set cable up`,
			`-n ${name}a link set lo up`,
		]) {
			execFileSync("ip", words.split(" "), { stdio: "ignore" });
		}
		return true;
	} catch {
		// Without `ip`, or without the permission to create a namespace or a cable, the test is skipped.
		removeCable(name);
		return false;
	}
}

function removeCable(name: string): void {
	for (const namespace of [`${name}a`, `${name}b`]) {
		try {
			execFileSync("ip", ["netns", "del", namespace], { stdio: "ignore" });
		} catch {
			// Ignores errors, for example if the namespace does not exist.
		}
	}
}

test("another network namespace reaches no loopback listener, and no other one without a token", async ({
	setup,
	skip,
}) => {
	const name = `pl${process.pid % 100_000}`;
	if (!isRoot || !layCable(name)) return skip("this machine allows no network namespace");
	const launcher = ["ip", "netns", "exec", `${name}a`];
	const [port, widePort] = [await choosePort(), await choosePort()];
	const root = setup.directory;
	const gateway = new GatewayProcess({ port, data: join(root, "loopback"), root, launcher });
	const wide = new GatewayProcess({
		...{ port: widePort, data: join(root, "wide"), root, launcher },
		listen: [`${host}:${widePort}`],
		environment: { PARLEY_INSECURE_LAN: "true" },
	});
	try {
		expect([await gateway.ready, await wide.ready]).toEqual([true, true]);
		const open = (namespace: string, to: string, at: number) =>
			run("ip", ["netns", "exec", namespace, setup.node, setup.program, to, String(at)], {
				env: { PATH: process.env["PATH"] ?? "" },
			}).then(({ stdout }) => JSON.parse(stdout) as { status?: number; error?: string });
		expect((await open(`${name}a`, "127.0.0.1", port)).status).toBe(101);
		expect((await open(`${name}b`, host, port)).error).toBe("ECONNREFUSED");
		expect((await open(`${name}b`, "127.0.0.1", port)).error).toMatch(/ECONNREFUSED|ENETUNREACH/);
		expect((await open(`${name}b`, host, widePort)).status).toBe(401);
	} finally {
		for (const started of [gateway, wide]) {
			started.kill("SIGKILL");
			await started.exited;
		}
		removeCable(name);
	}
});

test("a process of the gateway's own user needs no token", async ({ gateway }) => {
	const client = new WebSocket(`ws://127.0.0.1:${gateway.port}/api/ws`);
	const opened = new Promise((resolve, reject) => {
		client.once("open", () => resolve("open"));
		client.once("error", reject);
	});
	expect(await opened).toBe("open");
	client.terminate();
});
