import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { parseJson } from "@parley/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { zotBinary } from "../conformance/drivers/zot-client.ts";
import { binary } from "../gateway-process.ts";
import { ClientHost, type Ended } from "./client-host.ts";

const host = new ClientHost();
const zot = (...args: readonly string[]): Promise<Ended> => host.run([process.execPath, zotBinary, ...args]);

beforeAll(() => {
	writeFileSync(host.path("file"), "");
	writeFileSync(host.path("broken"), "{");
	mkdirSync(host.path("broken-models"));
	writeFileSync(host.path("broken-models", "models.json"), '{"models":[{');
});
afterAll(() => host[Symbol.dispose]());

const offline = ["--provider", "offline"];
const claude = ["--provider", "anthropic", "--api-key", "sk-ant-none"];

/** Refused flags. Each pattern matches the error line. */
const refusals: readonly (readonly [says: RegExp, ...flags: readonly string[]])[] = [
	[/unknown option '--nonsense'; allowed: --provider,/, ...offline, "--nonsense"],
	[
		/too many arguments .*: my garden; usage: zot rpc /,
		...offline,
		"--append-system-prompt",
		"Mind",
		"my garden",
	],
	[/option '--model <name>' argument missing/, "--model"],
	[/"acme" .* \(--provider\); allowed: auto, anthropic, offline, openai/, "--provider", "acme"],
	[/provider openai needs a key: set OPENAI_API_KEY/, "--provider", "openai"],
	[/provider kimi needs a key: set KIMI_API_KEY/, "--provider", "kimi"],
	[/no credential for anthropic; set ANTHROPIC_API_KEY, pass --api-key,/],
	[/needs a key: set ANTHROPIC_API_KEY/, "--provider", "anthropic"],
	[/needs a key: set ANTHROPIC_API_KEY/, "--provider", "anthropic", "--api-key", ""],
	[/needs a key: set ANTHROPIC_API_KEY/, "--provider", "anthropic", "--api-key", " \t"],
	[
		/--cwd .*\/x{100,}… cannot be read \(ENAMETOOLONG\); name a directory that can be read\n$/,
		...offline,
		"--cwd",
		"x".repeat(5_000),
	],
	[/"claude-sonet-4-6" .*\(did you mean claude-sonnet-4-6,/, ...claude, "--model", "claude-sonet-4-6"],
	[/--model is "claude-sonnet-4-6", but .* offline/, ...offline, "--model", "claude-sonnet-4-6"],
	[/"nonsense" .* \(--base-url\); allowed: an http/, ...claude, "--base-url", "nonsense"],
	[
		/--cwd .*\/nowhere does not exist or is not a directory; name an existing directory/,
		...offline,
		"--cwd",
		"nowhere",
	],
	[
		/--cwd .*\/file does not exist or is not a directory; name an existing directory/,
		...offline,
		"--cwd",
		"file",
	],
	[/--reasoning is "lots"; use off, none, minimal,/, ...offline, "--reasoning", "lots"],
	[/--max-steps is "0"; use a positive whole number/, ...offline, "--max-steps", "0"],
	[/--max-steps is "many"; use/, ...offline, "--max-steps", "many"],
	[
		/--tools contains unknown names: "fly"; allowed: read, write, edit, bash/,
		...offline,
		"--tools",
		"read,fly",
	],
	[/--tools contains unknown names: ""; allowed:/, ...offline, "--tools", "read,"],
	[/\/file is not a directory; .* with --session DIR/, ...offline, "--session", "file"],
	[/--session "kept" saves .*, and --no-session does not/, ...offline, "--session", "kept", "--no-session"],
	[/--session "kept" saves .*, and --no-session does not/, ...offline, "--no-session", "--session", "kept"],
	[/\/proc\/parley cannot be created \(ENOENT\); .* --session DIR/, ...offline, "--session", "/proc/parley"],
	[/\/own is the data directory of a gateway/, ...offline, "--data", "own", "--session", "own/../own"],
	[/file\/models\.json cannot be read \(ENOTDIR\)/, ...offline, "--data", "file"],
	[/models\.json is not valid: text is not JSON/, ...offline, "--data", "broken-models"],
	[/cannot read the configuration file .*\/nowhere/, ...offline, "--config", "nowhere"],
	[/\/broken:1:2: close brace expected/, ...offline, "--config", "broken"],
	[/the policy cannot be used: .*\/broken:1:2: close brace expected/, ...offline, "--policy", "broken"],
	[/"no" is not allowed for sandbox \(--sandbox\); allowed: required,/, ...offline, "--sandbox", "no"],
	[/"loud" is not allowed for logLevel \(--log-level\)/, ...offline, "--log-level", "loud"],
];

const rows = refusals.map(([pattern, ...flags]) => ({ error: pattern.source, says: pattern, flags }));

test.each(rows)("a failed start is reported in one line: $error", async ({ says: pattern, flags }) => {
	const { code, stdout, stderr } = await zot("rpc", ...flags);
	expect(stderr).toMatch(/^zot: .*\n$/);
	expect(stderr).toMatch(pattern);
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
});

test("without a key, that one line is the only response to earlier requests", async () => {
	const input = '{"id":"1","type":"ping"}\n{"id":"2","type":"prompt","message":"hi"}\n';
	for (const flags of [["--provider", "anthropic"], []]) {
		const { code, stdout, stderr } = await host.run([process.execPath, zotBinary, "rpc", ...flags], {
			input,
		});
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		expect(stderr).toMatch(
			/^zot: [^\n]*set ANTHROPIC_API_KEY[^\n]*--base-url[^\n]*; --provider offline needs (?:neither|none of these)\n$/,
		);
	}
});

test.each([
	["zot", zotBinary, "rpc", "--provider", "offline"],
	["parley", binary, "rpc", "--provider", "offline"],
	["parley", binary, "status", "--data", "mine"],
])("without its current directory, %s prints one line: %s %s", async (name, program, ...args) => {
	const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
	const command = [process.execPath, program, ...args];
	const { code, stdout, stderr } = await host.run(["sh", "-c", script, "sh", ...command]);
	expect(stderr).toBe(
		`${name}: the current directory does not exist, or you may not access it (ENOENT); change to another directory and try again\n`,
	);
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
});

test("without a directory for temporary files, TMPDIR is named", async () => {
	for (const [TMPDIR, why] of [
		[host.path("nowhere"), "ENOENT"],
		[host.path("file"), "ENOTDIR"],
	] as const) {
		const args = [process.execPath, zotBinary, "rpc", ...offline] as const;
		const { code, stdout, stderr } = await host.run([...args], { env: { TMPDIR } });
		expect(stderr).toBe(
			`zot: the directory for temporary files, ${TMPDIR}, cannot be used (${why}); set TMPDIR to an existing directory that this user can access\n`,
		);
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	}
});

test("a directory as standard input is reported in one line", async () => {
	const script = 'exec "$@" <.';
	const command = [process.execPath, zotBinary, "rpc", ...offline];
	const { code, stdout, stderr } = await host.run(["sh", "-c", script, "sh", ...command]);
	expect(stderr).toBe("zot: standard input is a directory; use a pipe or a file with one command per line\n");
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
});

test("the same command of parley prints its own name", async () => {
	const { code, stdout, stderr } = await host.run([process.execPath, binary, "rpc", "--nonsense"]);
	expect(stderr).toMatch(/^parley: unknown option '--nonsense'.*\n$/);
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	const extra = await host.run([process.execPath, binary, "rpc", "extra"]);
	expect(extra.stderr).toMatch(/^parley: too many arguments .*; usage: parley rpc .*\n$/);
});

test("other commands of zot are refused in one line", async () => {
	for (const args of [["foo"], [], ["chat"]]) {
		const { code, stdout, stderr } = await zot(...args);
		expect(stderr).toMatch(/^zot: .*Parley supports only `zot rpc`\n$/);
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	}
});

test("zot prints its version and its flags", async () => {
	const { version } = Object(
		parseJson(readFileSync(new URL("../../packages/cli/package.json", import.meta.url), "utf8")),
	);
	for (const args of [["--version"], ["rpc", "--version"], ["rpc", "--provider", "offline", "--version"]]) {
		expect(await zot(...args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
	}
	const { code, stdout } = await zot("rpc", "--help");
	expect(code).toBe(0);
	expect(stdout).toMatch(/^Usage: zot rpc /);
	expect(await zot("--help")).toEqual({ code, stdout, stderr: "" });
	const listed = [...stdout.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, name]) => name);
	const document = readFileSync(new URL("../../docs/protocols/zot.md", import.meta.url), "utf8");
	const table = document.split("\n").filter((line) => line.startsWith("| `--"));
	const documented = table.flatMap((row) => row.split("|")[1]?.match(/--[a-z-]+/g) ?? []);
	expect([...documented, "--help"].sort()).toEqual(listed.sort());
});

test("a link to zot is zot, and the flags of existing clients are accepted", async () => {
	const link = host.path("zot");
	symlinkSync(zotBinary, link);
	const known = ["--no-session", "--no-ext", "--no-skill", "--no-yolo", "--model", "", "--base-url", ""];
	const input = '{"id":"1","type":"ping"}';
	for (const command of [["rpc"], ["--rpc"]]) {
		const args = [process.execPath, link, ...command, ...offline, ...known] as const;
		expect(await host.run([...args], { input })).toEqual({
			...{ code: 0, stderr: "" },
			stdout: '{"type":"response","id":"1","command":"ping","success":true,"data":{"pong":true}}\n',
		});
	}
});

test("a conversation leaves no file, except the verdict about the sandbox", async () => {
	const input = '{"type":"prompt","message":"say: hi"}';
	const args = [process.execPath, zotBinary, "rpc", ...offline] as const;
	const { code, stdout } = await host.run([...args], { input, env: { TMPDIR: host.home } });
	expect(code).toBe(0);
	expect(stdout).toMatch(/"done"\}\n$/);
	const created = readdirSync(host.home, { recursive: true, withFileTypes: true });
	const files = created.filter((entry) => entry.isFile()).map(({ name }) => name);
	// Without bubblewrap, the program stores no sandbox verdict.
	expect(["", "sandbox-verdict"]).toContain(files.join());
});

test("the first reply needs neither a segmenter of words nor the time zone, which take 18 and 15 ms", async () => {
	const forbid = `
		const { Segmenter } = Intl;
		Intl.Segmenter = class extends Segmenter {
			constructor(locale, options) {
				if (options?.granularity === "word") throw new Error("a segmenter of words was created");
				super(locale, options);
			}
		};
		Intl.DateTimeFormat = class {
			constructor() {
				throw new Error("the time zone was read");
			}
		};`;
	const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(forbid)}` };
	const input = '{"id":"1","type":"prompt","message":"say: hi"}';
	const { code, stdout, stderr } = await host.run([process.execPath, zotBinary, "rpc", ...offline], {
		input,
		env,
	});
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout).toContain('"delta":"hi"');
});
