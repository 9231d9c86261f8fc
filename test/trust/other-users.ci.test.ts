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

/**
 * Connects a new network namespace by a virtual cable. Returns the namespace and the address of this machine, or
 * undefined if a step fails, for example without the permission to create the namespace.
 */
function layCable(name: string): { readonly host: string; readonly namespace: string } | undefined {
	const namespace = `${name}n`;
	const host = "10.213.77.1";
	try {
		for (const words of [
			`netns add ${namespace}`,
			`link add ${name}a type veth peer name ${name}b`,
			`link set ${name}b netns ${namespace}`,
			`addr add ${host}/24 dev ${name}a`,
			`link set ${name}a up`,
			`-n ${namespace} addr add 10.213.77.2/24 dev ${name}b`,
			`-n ${namespace} link set ${name}b up`,
		]) {
			execFileSync("ip", words.split(" "), { stdio: "ignore" });
		}
		return { host, namespace };
	} catch {
		// Without `ip`, or without the permission to create a namespace or a cable, the test is skipped.
		removeCable(name);
		return undefined;
	}
}

function removeCable(name: string): void {
	for (const words of [`netns del ${name}n`, `link del ${name}a`]) {
		try {
			execFileSync("ip", words.split(" "), { stdio: "ignore" });
		} catch {
			// Ignores errors, for example if the cable does not exist.
		}
	}
}

test("another network namespace reaches no loopback listener, and no other one without a token", async ({
	setup,
	gateway,
	skip,
}) => {
	const name = `pl${process.pid % 100_000}`;
	const cable = isRoot ? layCable(name) : undefined;
	if (!cable) return skip("this machine allows no network namespace");
	const port = await choosePort();
	const wide = new GatewayProcess({
		...{ port, data: join(setup.directory, "wide"), root: setup.directory },
		listen: [`${cable.host}:${port}`],
		environment: { PARLEY_INSECURE_LAN: "true" },
	});
	try {
		expect(await wide.ready).toBe(true);
		const there = (to: string, at: number) =>
			run("ip", ["netns", "exec", cable.namespace, setup.node, setup.program, to, String(at)], {
				env: { PATH: process.env["PATH"] ?? "" },
			}).then(({ stdout }) => JSON.parse(stdout) as { status?: number; error?: string });
		expect((await there(cable.host, gateway.port)).error).toBe("ECONNREFUSED");
		expect((await there("127.0.0.1", gateway.port)).error).toMatch(/ECONNREFUSED|ENETUNREACH/);
		expect((await there(cable.host, port)).status).toBe(401);
	} finally {
		wide.kill("SIGKILL");
		await wide.exited;
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
