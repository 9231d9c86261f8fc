import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { zotBinary } from "../conformance/drivers/zot-client.ts";
import { ClientHost, type Ended } from "./client-host.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = fileURLToPath(new URL("../../examples/zot", import.meta.url));
const host = new ClientHost();
const offline = ["--provider", "offline", "--cwd", host.home];

// Node 24 comes first, because scripts start `node`.
const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`;
const zot = { PATH: path, ZOT: `node ${zotBinary}` };

afterAll(() => host[Symbol.dispose]());

function isInstalled(program: string): boolean {
	return path.split(delimiter).some((directory) => {
		try {
			accessSync(join(directory, program), constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}

/** Example programs. `needs`: a program that the example needs. `unasked`: exit code without a prompt. */
const programs = [
	{ name: "ask.sh", command: [join(folder, "ask.sh")], needs: "jq", unasked: 1 },
	{ name: "ask.py", command: [join(folder, "ask.py")], needs: "python3", unasked: 2 },
	{ name: "ask.ts", command: ["node", join(folder, "ask.ts")], needs: "node", unasked: 2 },
] as const;

for (const { name, command, needs, unasked } of programs) {
	const testWith = test.skipIf(!isInstalled(needs));
	const ask = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
		host.run(["env", ...command, ...args], { env: { ...zot, ...env } });

	testWith(`${name} prints an answer (requires ${needs})`, async () => {
		const { code, stdout } = await ask(["say: Hello!", ...offline]);
		expect(stdout).toMatch(/^\[offline\] Hello!\n/);
		expect(code).toBe(0);
	});

	testWith(`${name} shows the tool calls of the agent (requires ${needs})`, async () => {
		const { code, stdout } = await ask(["run: echo hi", ...offline]);
		expect(stdout).toMatch(/^\[bash\] \{"command": ?"echo hi"\}$/m);
		expect(stdout).toMatch(/\[offline\] bash returned:\nhi\n/);
		if (name !== "ask.sh") expect(stdout).toMatch(/^ {2}\| hi\n(?! {2}\| )/m);
		expect(code).toBe(0);
	});

	testWith(`${name} ends with 1 after an error (requires ${needs})`, async () => {
		const { code, stderr } = await ask(["fail: invalid", ...offline]);
		expect(stderr).toMatch(/invalid$/m);
		expect(code).toBe(1);
		const refused = await ask(["say: Hello!", "--provider", "none"]);
		expect(refused.stderr).toMatch(/^zot: "none" is not allowed for provider/);
		expect(refused.code).toBe(1);
		expect((await ask([])).code).toBe(unasked);
	});

	testWith(`${name} sends the token of its environment (requires ${needs})`, async () => {
		const token = "a shared secret";
		const right = await ask(["say: Hello!", ...offline], { ZOTCORE_RPC_TOKEN: token });
		expect(right.stdout).toMatch(/^\[offline\] Hello!\n/);
		expect(right.code).toBe(0);
		// The agent and the client have different tokens.
		const ZOT = `env ZOTCORE_RPC_TOKEN=another node ${zotBinary}`;
		const wrong = await ask(["say: Hello!", ...offline], { ZOTCORE_RPC_TOKEN: token, ZOT });
		expect(wrong.stderr).toMatch(/invalid token$/m);
		expect(wrong.code).toBe(1);
	});
}

for (const { name, command, needs } of programs) {
	test.skipIf(!isInstalled(needs))(
		`${name} ends with 1 and one line if the agent dies in a prompt (requires ${needs})`,
		async () => {
			const program = host.path("mortal");
			writeFileSync(program, `#!/bin/sh\necho $$ >pid\nexec node ${zotBinary} "$@"\n`, { mode: 0o700 });
			const question = `run: kill -9 $(cat ${host.path("pid")})`;
			const { code, stdout, stderr } = await host.run(["env", ...command, question, ...offline], {
				env: { ...zot, ZOT: program },
			});
			expect(stdout).toContain("[bash]");
			// Some examples first print the token usage so far.
			expect(stderr).toMatch(/^(\n\(.* out, .*\)\n)?the agent has ended.*\n$/);
			expect(code).toBe(1);
		},
	);

	test.skipIf(!isInstalled(needs))(
		`${name} ends with 1 if the agent ends before the prompt (requires ${needs})`,
		async () => {
			for (const ZOT of ["false", "true"]) {
				const args = ["env", ...command, "x".repeat(100_000), ...offline] as const;
				const { code, stderr } = await host.run([...args], { env: { ...zot, ZOT } });
				expect(stderr).toMatch(/^the agent has ended.*\n$/);
				expect(code).toBe(1);
			}
		},
	);
}

/** Values that cannot be executed. Each pattern matches the error line. */
const startless: readonly (readonly [ZOT: string, says: RegExp])[] = [
	[host.path("missing"), /missing/],
	["missing-as-well --flag", /missing-as-well/],
	[host.directory, /parley-zot-/],
	[host.path("text"), /text/],
	[join(host.path("text"), "below"), /below/],
];

for (const { name, command, needs } of programs) {
	test.skipIf(!isInstalled(needs))(
		`${name} ends with 1 and one line if the agent cannot be started (requires ${needs})`,
		async () => {
			writeFileSync(host.path("text"), "no program", { mode: 0o600 });
			for (const [ZOT, pattern] of startless) {
				const { code, stdout, stderr } = await host.run(["env", ...command, "hi"], {
					env: { ...zot, ZOT },
				});
				expect(stderr).toMatch(/^[^\n]+\n$/);
				expect(stderr).toMatch(pattern);
				expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
			}
		},
	);

	test.skipIf(!isInstalled(needs))(`${name} starts zot if ZOT is empty (requires ${needs})`, async () => {
		mkdirSync(host.path("bin"), { recursive: true });
		writeFileSync(host.path("bin", "zot"), '#!/bin/sh\necho "I am $0 $1" >&2\n', { mode: 0o700 });
		const PATH = `${host.path("bin")}${delimiter}${path}`;
		const { code, stderr } = await host.run(["env", ...command, "hi"], { env: { PATH, ZOT: "" } });
		expect(stderr).toContain(`I am ${host.path("bin", "zot")} rpc`);
		expect(code).toBe(1);
	});
}

test("ask.ts reads Unicode line ends inside a line, and continues after an invalid line", async () => {
	const program = host.path("noisy");
	writeFileSync(program, `#!/bin/sh\necho 'good morning'\nexec node ${zotBinary} "$@"\n`, { mode: 0o700 });
	const args = ["node", join(folder, "ask.ts"), "say: a\u2028b\u2029c", ...offline] as const;
	const { code, stdout } = await host.run([...args], { env: { ...zot, ZOT: program } });
	expect(stdout).toMatch(/^\[offline\] a\u2028b\u2029c/);
	expect(code).toBe(0);
});

test("ask.ts answers a question and continues", async () => {
	const args = ["node", join(folder, "ask.ts"), "run: echo hi", ...offline, "--rpc-approvals"] as const;
	const { code, stdout } = await host.run([...args], { env: zot });
	expect(stdout).toMatch(/^Allow run echo hi\? no$/m);
	expect(stdout).toMatch(/\[offline\] bash failed:\n.*no person is present to answer/);
	expect(code).toBe(0);
});

test.skipIf(!isInstalled("jq") || !isInstalled("python3"))(
	"the commands of the README of the examples work, if jq and python3 are installed",
	async () => {
		const readme = readFileSync(join(folder, "README.md"), "utf8");
		const [, script = ""] = /^```sh\n(.*?)^```$/ms.exec(readme) ?? [];
		const { code, stdout, stderr } = await host.run(["sh", "-euc", script], { cwd: root, env: zot });
		expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining("npm") });
		expect(stdout).toMatch(/^\[offline\] hello\n/);
		expect(stdout.match(/\[offline\] bash /g)).toHaveLength(2);
	},
);
