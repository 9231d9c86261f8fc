import { CorrectableError, ParleyError } from "@parley/base";
import type { SandboxFeatures } from "@parley/core";
import type { ProviderAnswer } from "@parley/gateway";
import { expect, test } from "vitest";
import type { ConnectorStatus } from "../../connectors/connector-report.ts";
import type { Finding, FindingStatus } from "../../tables/finding-rows.ts";
import type { System } from "../system.ts";
import { fakeConfig, fakeGateway, fakeSystem, now } from "../testing/fake-system.ts";
import { deepChecks, runChecks } from "./run-checks.ts";

const day = 24 * 60 * 60 * 1000;
const reached = { url: "https://models.test/v1/models", ownTime: now, durationMs: 300, serverTime: now };
const answer = (changes: object): System["provider"] => {
	// The cast is safe because each row below has the fields of one kind of answer.
	return async () => ({ reached: true, status: 200, ...reached, ...changes }) as ProviderAnswer;
};
const token = (name: string, more: object) => ({
	id: "t",
	kind: "observer",
	name,
	created_at: "2026-01-01T00:00:00.000Z",
	status: "active",
	...more,
});
const tokens = (...list: readonly object[]): System["tokens"] => {
	// The cast is safe because `token` produces the same form as the wire.
	return async () => list as Awaited<ReturnType<System["tokens"]>>;
};
const discord = (changes: object): Partial<System> => ({
	connectors: async () => [
		// The cast is safe because each row below contains the state.
		{ platform: "discord", pid: 5, since: now - 120_000, seen: now, ...changes } as ConnectorStatus,
	],
});
const features: SandboxFeatures = {
	memory: "address-space",
	keyring: "own",
	sizes: true,
	unixSockets: false,
};
const withFeatures = (changes: Partial<SandboxFeatures>): Partial<System> => ({
	sandbox: async () => ({
		mode: "preferred",
		state: "ready",
		probes: 48,
		features: { ...features, ...changes },
	}),
});
const changedSkill = (operator: "off" | "bubblewrap", changed_at: string): Partial<System> => ({
	gateway: fakeGateway,
	health: { sandbox: { mode: "preferred", operator } },
	listedSkills: async () => [
		{
			name: "a",
			description: "",
			source: "data",
			path: "skills/a.md",
			type: "simple",
			hash: "",
			user_invocable: true,
			model_invocable: true,
			trust: "operator",
			changed_at,
		},
	],
});
const answersOf =
	(first: System["provider"], further: System["provider"]): System["provider"] =>
	(name) =>
		name === undefined ? first() : further(name);

const several = {
	provider: "openai",
	connections: [
		{ name: "openai", keyName: "OPENAI_API_KEY", apiKey: "sk-0123456789abcdef" },
		{ name: "gemini", keyName: "GEMINI_API_KEY", apiKey: "gemini-key-0123456789" },
	],
};

const vllm = { provider: "vllm", connections: [{ name: "vllm" }] };
const withConfig = (changes: object): Partial<System> => ({ config: { ...fakeConfig, ...changes } });
const llama = { endpoint: "http://127.0.0.1:8080", command: "llama-server", args: [], autostart: true };
const withLlama = (changes: object): Partial<System> => ({
	...withConfig({ llama }),
	gateway: fakeGateway,
	health: { llama: { endpoint: llama.endpoint, state: "ready", restarts: 0, ...changes } },
});
const throws = (message: string) => async (): Promise<never> => {
	throw new ParleyError(message, { code: "failed_precondition" });
};
const throwsWith = (what: string, fix: string) => async (): Promise<never> => {
	throw new CorrectableError({ what, fix }, { code: "failed_precondition" });
};
const secrets = (changes: object): Partial<System> => ({
	storedSecrets: async () => ({
		stored: 2,
		opened: 2,
		keyFile: "/data/keys/secrets",
		hasKey: true,
		...changes,
	}),
});
const texts = (changes: object): Partial<System> => ({
	messages: async () => ({
		ok: true,
		sessions: 2,
		all_sessions: 2,
		verified: 40,
		unverified: 0,
		faults: 0,
		examples: [],
		...changes,
	}),
});
const broken = (...paths: readonly string[]): Partial<System> => ({
	skills: async () => ({
		skills: [],
		problems: paths.map((path) => ({ path, message: "line 3: tools: use a list" })),
	}),
});
const open = (path: string, mode: number): Partial<System> => ({
	stat: async (name) => ({ mode: name === path ? mode : 0o700, uid: 1000, isDirectory: name === "/data" }),
});
const chat = (settings: object) =>
	withConfig({ chat: { allow: [], deny: [], tenants: {}, places: {}, ...settings } });

async function find(id: string, changes: Partial<System>): Promise<Finding> {
	const found = (await runChecks(fakeSystem(changes), deepChecks)).find((one) => one.id === id);
	if (!found) throw new Error(`no check has the id ${id}`);
	return found;
}

const findings: readonly (readonly [
	id: string,
	FindingStatus,
	Partial<System>,
	what: RegExp,
	fix?: RegExp,
])[] = [
	["data", "ok", {}, /^\/data$/],
	[
		"data",
		"warn",
		{ stat: async () => undefined },
		/^\/data does not exist: no gateway has started there/,
		/--data DIR/,
	],
	[
		"data",
		"fail",
		{ stat: async () => ({ mode: 0o600, uid: 1000, isDirectory: false }) },
		/is not a directory/,
		/--data DIR/,
	],
	["config", "ok", {}, /valid/],
	["config", "fail", { config: new Error("port: 99999 is no port") }, /99999/, /setting/],
	["gateway", "ok", {}, /no gateway is running on the data directory \/data/],
	["gateway", "ok", { gateway: fakeGateway }, /process 42/],
	["gateway", "warn", { gateway: { ...fakeGateway, health: "draining" } }, /stopping/, /parley start/],
	[
		"gateway",
		"warn",
		{ gateway: { ...fakeGateway, health: "degraded" }, health: { storage: { state: "full" } } },
		/storage is full/,
		/parley status/,
	],
	[
		"gateway",
		"ok",
		{
			gateway: { ...fakeGateway, health: "degraded" },
			health: { policy: { state: "broken", reason: "line 3" } },
		},
		/process 42.*its policy is invalid/,
	],
	["versions", "ok", { gateway: fakeGateway }, /Node 24\.11\.0/],
	[
		"versions",
		"fail",
		{ versions: { parley: "1.0.0", node: "24.10.9", sqlite: "3" } },
		/24\.11/,
		/nodejs\.org/,
	],
	[
		"versions",
		"fail",
		{ versions: { parley: "1.0.0", node: "22.99.0", sqlite: "3" }, distribution: "arch" },
		/22\.99/,
		/pacman/,
	],
	["versions", "warn", { gateway: { ...fakeGateway, version: "0.9.0" } }, /0\.9\.0/, /parley stop/],
	["bind", "ok", {}, /only from this machine/],
	[
		"bind",
		"ok",
		withConfig({ listen: [{ host: "0.0.0.0", port: 443 }], tls: { cert: "c", key: "k" } }),
		/https:\/\/0\.0\.0\.0:443: with a token/,
	],
	[
		"bind",
		"fail",
		{ answers: async () => true },
		/another program is listening at 127\.0\.0\.1:7777/,
		/ss -ltnp/,
	],
	["bind", "fail", { answers: async () => true, distribution: "macos" }, /another program/, /lsof/],
	[
		"bind",
		"ok",
		{
			answers: async () => true,
			gateway: fakeGateway,
			health: { listeners: [{ url: "http://127.0.0.1:7777", tls: false }] },
		},
		/7777/,
	],
	["bind", "warn", withConfig({ auth: "none" }), /without a token/, /--auth none/],
	[
		"bind",
		"warn",
		withConfig({ listen: [{ host: "::", port: 7777 }], insecureLan: true }),
		/\[::\]:7777: .*unencrypted/,
		/--tls-cert/,
	],
	[
		"bind",
		"warn",
		{
			gateway: fakeGateway,
			health: { listeners: [{ url: "http://10.0.0.1:7777", tls: false }], auth: "token", insecure_lan: true },
		},
		/10\.0\.0\.1/,
		/proxy/,
	],
	["tls", "ok", {}, /no certificate/],
	["tls", "ok", withConfig({ tls: { cert: "c", key: "k" } }), /until 2026-06-12/],
	[
		"tls",
		"warn",
		{ ...withConfig({ tls: { cert: "c", key: "k" } }), certificateEnd: async () => now + 13.5 * day },
		/13 days/,
		/replace the file/,
	],
	[
		"tls",
		"fail",
		{ ...withConfig({ tls: { cert: "c", key: "k" } }), certificateEnd: async () => now - day },
		/expired on 2026-03-13/,
		/replace the file/,
	],
	[
		"tls",
		"warn",
		{ gateway: fakeGateway, health: { certificate: { valid_to: "2026-03-20T00:00:00.000Z" } } },
		/in 6 days/,
		/SIGHUP/,
	],
	["tokens", "ok", {}, /only this user/],
	["tokens", "ok", { operatorToken: async () => false }, /first start/],
	[
		"tokens",
		"ok",
		{
			gateway: fakeGateway,
			tokens: tokens(token("a", {}), token("o", { kind: "operator" }), token("b", { status: "revoked" })),
		},
		/active tokens: 1$/,
	],
	[
		"tokens",
		"warn",
		{ gateway: fakeGateway, tokens: tokens(token("phone", { expires_at: "2026-03-16T00:00:00.000Z" })) },
		/phone \(2026-03-16\)/,
		/token rotate/,
	],
	[
		"tokens",
		"fail",
		{ operatorToken: throwsWith("it is open to others", "chmod 600 'x'") },
		/^it is open to others$/,
		/^chmod 600 'x'$/,
	],
	["files.modes", "ok", {}, /only this user/],
	["files.modes", "ok", { stat: async () => undefined }, /does not exist yet/],
	["files.modes", "fail", open("/data", 0o755), /mode 755/, /^chmod 700 '\/data'$/],
	["files.modes", "ok", open("/data", 0o750), /only this user/],
	[
		"files.modes",
		"fail",
		open("/data/keys/secrets", 0o640),
		/keys\/secrets .*640/,
		/^chmod 600 '\/data\/keys\/secrets'$/,
	],
	["files.modes", "fail", { uid: 1001 }, /belongs to another user \(1000\)/, /chown -R/],
	["connectors", "ok", {}, /no connector is running/],
	["connectors", "ok", discord({ state: "connected" }), /discord connected for 2 min \(process 5\)$/],
	["connectors", "warn", discord({ state: "connected", open: 2, held: 2 }), /held posts: 2/, /discord posts/],
	["connectors", "warn", discord({ state: "silent", detail: "gone" }), /gone/, /restarts its connectors/],
	["connectors", "fail", discord({ state: "refused", detail: "no such token" }), /no such token/, /fix the/],
	["chat", "ok", {}, /name no guild or team/],
	["chat", "ok", chat({ tenants: { discord: ["1"] }, places: { "discord:1:2": {} } }), /1 guild or team/],
	["chat", "warn", chat({ places: { "discord:1:2": {} } }), /names discord:1/, /chat\.tenants/],
	[
		"chat",
		"warn",
		chat({ allow: [{ platform: "slack", tenant: "T1", as: "member" }] }),
		/slack:T1/,
		/chat\.tenants/,
	],
	[
		"chat",
		"ok",
		{
			...chat({ places: { "discord:1:2": {} } }),
			gateway: fakeGateway,
			tokens: tokens(token("d", { kind: "connector" })),
		},
		/name no guild or team/,
	],
	["skills", "ok", {}, /^no skills in the data directory$/],
	["skills", "ok", changedSkill("off", "2026-03-01T00:00:00.000Z"), /^no skills/],
	["skills", "ok", changedSkill("bubblewrap", "2026-03-13T00:00:00.000Z"), /^no skills/],
	[
		"skills",
		"warn",
		changedSkill("off", "2026-03-13T00:00:00.000Z"),
		/without a sandbox, and a skill .* changed in the last 7 days: skills\/a\.md \(2026-03-13T00/,
		/parley skills show NAME/,
	],
	[
		"skills",
		"warn",
		broken("skills/a.md"),
		/^a skill file cannot be used: skills\/a\.md: line 3: tools: use a list$/,
		/fix the reported problems/,
	],
	[
		"skills",
		"warn",
		broken("a.md", "b.md", "c.md", "d.md", "e.md"),
		/^5 skill files cannot be used: a\.md: .*; and 2 more$/,
		/fix the reported problems/,
	],
	["policy", "ok", {}, /built-in/],
	["policy", "ok", { policy: async () => "/data/policy.jsonc" }, /policy\.jsonc is valid/],
	["policy", "fail", { policy: throws("/data/policy.jsonc:3:5: no tool is called x") }, /:3:5/, /fix/],
	["sandbox", "ok", {}, /all 27 escape attempts/],
	[
		"sandbox",
		"ok",
		withFeatures({}),
		/limited for each process.*own session keyring.*limited to 2 GiB in total.*only the kernel limits.*cannot use Unix sockets/,
	],
	[
		"sandbox",
		"ok",
		withFeatures({ memory: "systemd" }),
		/cgroup of systemd.*limited by the memory of the command/,
	],
	["sandbox", "ok", withFeatures({ keyring: "not-installed" }), /keyutils is not installed/],
	["sandbox", "ok", withFeatures({ keyring: "denied" }), /this system does not let keyctl create a keyring/],
	[
		"sandbox",
		"warn",
		withFeatures({ unixSockets: true }),
		/created in a root while they run/,
		/commandUnixSockets/,
	],
	["sandbox", "warn", withFeatures({ sizes: false }), /files in memory have no limit/, /0\.7/],
	[
		"sandbox",
		"ok",
		{
			...withFeatures({}),
			health: { sandbox: { mode: "preferred", features: { ...features, memory: "cgroup" } } },
		},
		/cgroup of the gateway/,
	],
	[
		"sandbox",
		"ok",
		{ sandbox: async () => ({ mode: "container", state: "unused", probes: 0 }) },
		/as configured/,
	],
	[
		"sandbox",
		"warn",
		{ sandbox: async () => ({ mode: "off", state: "unused", probes: 0 }) },
		/your permissions/,
		/--sandbox, PARLEY_SANDBOX/,
	],
	[
		"sandbox",
		"warn",
		{
			sandbox: async () => ({
				mode: "preferred",
				state: "unavailable",
				probes: 0,
				reason: "no bwrap",
				fix: "apt install bubblewrap",
			}),
		},
		/no bwrap/,
		/^apt install/,
	],
	[
		"sandbox",
		"fail",
		{ sandbox: async () => ({ mode: "required", state: "unavailable", probes: 0 }) },
		/commands do not run/,
		/parley status/,
	],
	["database", "ok", {}, /intact/],
	["database", "ok", { database: async () => false, stat: async () => undefined }, /none yet/],
	["database", "warn", { database: async () => false }, /keys\/secrets but no database/, /parley restore/],
	[
		"database",
		"fail",
		{ database: throwsWith("the database is damaged and was not changed", "move it aside") },
		/damaged/,
		/^move it aside$/,
	],
	["passwords", "ok", {}, /decrypts all stored passwords \(2\)/],
	["passwords", "ok", secrets({ stored: 0, opened: 0, hasKey: false }), /no stored passwords/],
	["passwords", "warn", secrets({ opened: 0, hasKey: false }), /keys\/secrets, .*is missing/, /backup/],
	["passwords", "warn", secrets({ opened: 1 }), /does not decrypt 1 of 2/, /enter the passwords again/],
	["messages", "ok", {}, /intact: 40 rows of 2 sessions$/],
	["messages", "ok", { messages: async () => undefined }, /no stored messages to check/],
	["messages", "ok", texts({ unverified: 7 }), /not verified: 7 rows of an earlier version/],
	["messages", "warn", texts({ sessions: 1 }), /40 rows of 1 of 2 sessions/, /audit --verify/],
	[
		"messages",
		"fail",
		texts({ ok: false, faults: 2, examples: [{ session_id: "s", row: "event 3", reason: "altered" }] }),
		/2 rows of sessions were altered or removed; s, event 3: altered; and 1 more$/,
		/backup/,
	],
	["audit", "ok", {}, /3 rows/],
	["audit", "ok", { database: throws("damaged") }, /unknown because of the finding database/],
	[
		"audit",
		"fail",
		{
			audit: async () => ({
				ok: false,
				records: 1,
				seq: 1,
				head: "",
				broken: { seq: 2, reason: "the row was changed" },
			}),
		},
		/row 2: the row was changed/,
		/--verify/,
	],
	["disk", "ok", {}, /51200 MiB/],
	["disk", "warn", { freeBytes: async () => 500 * 2 ** 20 }, /500 MiB/, /apt clean/],
	["disk", "fail", { freeBytes: async () => 2 ** 20, distribution: "fedora" }, /1 MiB/, /dnf clean/],
	["disk", "fail", { writeProbe: throws("EROFS: read-only file system") }, /EROFS/, /--data/],
	[
		"disk",
		"ok",
		{
			data: "/home/x/data",
			stat: async (path) => (path === "/home" ? { mode: 0o700, uid: 1000, isDirectory: true } : undefined),
		},
		/on the disk of \/home$/,
	],
	["clock", "ok", {}, /file system/],
	["clock", "ok", { provider: answer({ serverTime: now - 20_000 }) }, /models\.test/],
	["clock", "warn", { provider: answer({ serverTime: now + 60_000 }) }, /60 s behind/, /timedatectl/],
	[
		"clock",
		"fail",
		{ provider: answer({ serverTime: now - 3_600_000 }), distribution: "macos" },
		/3600 s ahead/,
		/sntp/,
	],
	["clock", "ok", { provider: answer({ serverTime: undefined }) }, /file system/],
	["clock", "warn", { writeProbe: async () => now - 60_000 }, /60 s behind/, /file server/],
	["clock", "ok", { writeProbe: throws("EROFS") }, /matches/],
	["llama", "ok", {}, /no local model server/],
	["llama", "ok", withConfig({ llama }), /is started by the gateway/],
	[
		"llama",
		"fail",
		{ ...withConfig({ llama }), program: async () => false },
		/llama-server/,
		/install llama\.cpp/,
	],
	["llama", "ok", withLlama({ state: "ready", pid: 7 }), /8080, ready, process 7/],
	["llama", "fail", withLlama({ state: "pausing", reason: "it ended" }), /stopped.*: it ended/, /debug/],
	["llama", "warn", withLlama({ state: "ready", tokens: "estimated" }), /estimates/, /tokenize/],
	["model", "ok", withConfig({ llama }), /starts with the gateway/],
	["model", "ok", withConfig({ providerReason: "no key" }), /ANTHROPIC_API_KEY is not set/],
	["model", "ok", { provider: answer({}) }, /models\.test answers/],
	["model", "ok", { provider: answer({ status: 404 }) }, /models\.test answers/],
	[
		"model",
		"fail",
		{ provider: answer({ status: 401 }) },
		/refuses requests without a key \(401\), and no key is set/,
		/^set ANTHROPIC_API_KEY to the key, and start the gateway$/,
	],
	[
		"model",
		"fail",
		{ ...withConfig(vllm), provider: answer({ status: 401 }) },
		/no key is set/,
		/^set models\.providers\.vllm\.key to the name of an environment variable with the key$/,
	],
	[
		"model",
		"fail",
		{ ...withConfig({ llama: { ...llama, command: undefined } }), provider: answer({ status: 401 }) },
		/no key is set/,
		/^set LLAMA_API_KEY to the key/,
	],
	[
		"model",
		"fail",
		{ ...withConfig(several), provider: answer({ status: 401 }) },
		/rejects the key/,
		/set OPENAI_API_KEY to a valid key/,
	],
	[
		"model",
		"warn",
		{ ...withConfig(several), provider: answersOf(answer({}), answer({ status: 400 })) },
		/the provider gemini rejects the key \(400\)/,
		/set GEMINI_API_KEY/,
	],
	[
		"model",
		"warn",
		{
			...withConfig(several),
			provider: answersOf(answer({}), answer({ reached: false, reason: "ENOTFOUND" })),
		},
		/cannot reach the provider gemini: ENOTFOUND/,
		/curl/,
	],
	[
		"model",
		"ok",
		{ ...withConfig(several), provider: answer({}) },
		/models\.test answers; other providers: gemini$/,
	],
	["model", "ok", { gateway: fakeGateway, provider: answer({ status: 401 }) }, /no key to test/],
	["model", "warn", { provider: answer({ status: 529 }) }, /529/, /try again later/],
	[
		"model",
		"warn",
		{ ...withConfig({ ...several, model: "gpt-x" }), provider: answer({ models: ["a", "b"] }) },
		/models\.test has no model gpt-x/,
		/the server has a, b$/,
	],
	[
		"model",
		"ok",
		{ ...withConfig({ ...several, model: "openai/a" }), provider: answer({ models: ["a"] }) },
		/answers/,
	],
	[
		"model",
		"ok",
		{ ...withConfig({ ...several, model: "a:online" }), provider: answer({ models: ["a"] }) },
		/answers/,
	],
	[
		"model",
		"ok",
		{ ...withConfig({ ...several, model: "gemini/x" }), provider: answer({ models: ["a"] }) },
		/answers/,
	],
	[
		"model",
		"ok",
		{ ...withConfig({ ...several, model: "fast" }), provider: answer({ models: ["a"] }) },
		/answers/,
	],
	["model", "fail", { provider: answer({ reached: false, reason: "ENOTFOUND" }) }, /ENOTFOUND/, /curl/],
	[
		"model",
		"fail",
		{ gateway: fakeGateway, health: { provider: { state: "failing", reason: "no credit" } } },
		/no credit/,
		/parley status/,
	],
];

test.each(findings.map(([id, status, changes, what, fix]) => [id, status, { changes, what, fix }] as const))(
	"%s: %s",
	async (id, status, { changes, what, fix }) => {
		const found = await find(id, changes);
		expect(found).toMatchObject({ status, what: expect.stringMatching(what) });
		if (fix) expect(found.fix).toMatch(fix);
		else expect(found.fix).toBeUndefined();
	},
);

test("has a case without problems and one with a problem for each check", async () => {
	const ids = (await runChecks(fakeSystem(), deepChecks)).map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
	for (const id of ids) {
		const statuses = findings.filter(([checked]) => checked === id).map(([, status]) => status);
		expect(statuses, id).toContain("ok");
		expect(
			statuses.some((status) => status !== "ok"),
			id,
		).toBe(true);
	}
});

test("runs all other checks if one fails to run", async () => {
	const all = await runChecks(fakeSystem({ sandbox: throws("no /proc"), freeBytes: throws("EIO") }));
	expect(all.filter(({ status }) => status !== "ok")).toMatchObject([
		{ id: "sandbox", status: "warn", what: "could not be checked: no /proc" },
		{ id: "disk", status: "warn", what: "could not be checked: EIO" },
	]);
});

test("reports a cause that several checks share once", async () => {
	const message = "/data/tokens/operator is open to other users of this machine (mode 644)";
	const all = await runChecks(
		fakeSystem({
			...open("/data/tokens/operator", 0o644),
			operatorToken: throwsWith(message, "chmod 600 '/data/tokens/operator'"),
		}),
	);
	expect(all.filter(({ status }) => status !== "ok")).toMatchObject([{ id: "tokens", what: message }]);
	expect(all.find(({ id }) => id === "files.modes")).toEqual({
		id: "files.modes",
		status: "ok",
		what: "unknown because of the finding tokens",
	});
});
