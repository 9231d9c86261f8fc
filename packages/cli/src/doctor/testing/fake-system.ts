import type { Config } from "@parley/gateway";
import type { RunningGateway } from "../../client/running-gateway.ts";
import type { System } from "../system.ts";

export const now = Date.UTC(2026, 2, 14);

export const fakeConfig: Config = {
	listen: [{ host: "127.0.0.1", port: 7777 }],
	data: "/data",
	root: [],
	allowedHosts: [],
	provider: "offline",
	auth: "local",
	logLevel: "info",
};

export const fakeGateway: RunningGateway = {
	health: "ok",
	pid: 42,
	version: "1.0.0",
	startedAt: "2026-03-13T00:00:00.000Z",
	urls: ["http://127.0.0.1:7777"],
	local: "http://127.0.0.1:7777",
};

/** Creates a healthy machine without a running gateway, with the changes that a test specifies. */
export function fakeSystem(changes: Partial<System> = {}): System {
	return {
		distribution: "debian",
		uid: 1000,
		data: "/data",
		config: fakeConfig,
		gateway: undefined,
		health: null,
		versions: { parley: "1.0.0", node: "24.11.0", sqlite: "3.53.0" },
		now: () => now,
		stat: async (path) => ({ mode: 0o700, uid: 1000, isDirectory: !path.includes(".") }),
		freeBytes: async () => 50 * 2 ** 30,
		writeProbe: async () => now,
		answers: async () => false,
		program: async () => true,
		provider: async () => undefined,
		sandbox: async () => ({ mode: "preferred", state: "ready", probes: 27 }),
		policy: async () => undefined,
		skills: async () => ({ skills: [], problems: [] }),
		listedSkills: async () => [],
		database: async () => true,
		storedSecrets: async () => ({ stored: 2, opened: 2, keyFile: "/data/keys/secrets", hasKey: true }),
		audit: async () => ({ ok: true, records: 3, seq: 3, head: "f".repeat(64) }),
		messages: async () => ({
			ok: true,
			sessions: 2,
			all_sessions: 2,
			verified: 40,
			unverified: 0,
			faults: 0,
			examples: [],
		}),
		operatorToken: async () => true,
		tokens: async () => [],
		connectors: async () => [],
		certificateEnd: async () => now + 90 * 24 * 60 * 60 * 1000,
		...changes,
	};
}
