import { ManualClock } from "@parley/base/testing";
import { operator, type ProviderState } from "@parley/core";
import { expect, test } from "vitest";
import { createHealth, type HealthDeps } from "./health.ts";

const providerState: ProviderState = {
	provider: "anthropic",
	model: "sonnet",
	state: "refused",
	reason: "the key is not valid",
	since: Date.UTC(2026, 0, 2),
};

const sandbox = { mode: "off", state: "unused", operator: "off", probes: 0 } as const;

function setUp(options: Partial<HealthDeps> & { providers?: readonly ProviderState[] } = {}) {
	const clock = new ManualClock();
	const { providers = [], ...deps } = options;
	const health = createHealth({
		clock,
		runtime: { model: "sonnet", health: () => ({ providers }) },
		store: { health: () => ({ state: "ok" }) },
		state: { draining: false, listeners: [{ url: "http://127.0.0.1:1", tls: false }] },
		tls: undefined,
		reach: { auth: "local", localTrust: true, insecureLan: false },
		version: "1.2.3",
		sandbox: () => sandbox,
		provider: "anthropic",
		server: undefined,
		policy: { problem: undefined },
		llama: () => undefined,
		...deps,
	});
	return { clock, health };
}

test("the report has the main facts for an operator", async () => {
	const { clock, health } = setUp();
	clock.advance(61_999);
	expect(await health.report(operator)).toEqual({
		status: "ok",
		version: "1.2.3",
		uptime_s: 61,
		auth: "local",
		local_trust: true,
		insecure_lan: false,
		listeners: [{ url: "http://127.0.0.1:1", tls: false }],
		sandbox,
		provider: { name: "anthropic", model: "sonnet", state: "unknown" },
		providers: [],
		storage: { state: "ok" },
	});
});

test("a store that cannot commit degrades the gateway, a provider that refuses does not", async () => {
	const refused = setUp({ providers: [providerState], server: "127.0.0.1:8080" });
	expect(refused.health.status()).toBe("ok");
	const state = { state: "refused", reason: "the key is not valid", since: "2026-01-02T00:00:00.000Z" };
	expect(await refused.health.report(operator)).toMatchObject({
		provider: { name: "anthropic", model: "sonnet", server: "127.0.0.1:8080", ...state },
		providers: [{ provider: "anthropic", model: "sonnet", ...state }],
	});
	for (const state of ["full", "failing"] as const) {
		const { health } = setUp({ store: { health: () => ({ state, since: 0 }) } });
		expect(health.status()).toBe("degraded");
		expect(await health.report(operator)).toMatchObject({
			status: "degraded",
			storage: { state, since: "1970-01-01T00:00:00.000Z" },
		});
	}
});

test("a policy that cannot be read degrades the gateway, with the reason", async () => {
	const { health } = setUp({ policy: { problem: "/data/policy.jsonc:2:3: comma expected" } });
	expect(health.status()).toBe("degraded");
	expect(await health.report(operator)).toMatchObject({
		status: "degraded",
		policy: { state: "broken", reason: "/data/policy.jsonc:2:3: comma expected" },
	});
});

test("draining takes precedence over other states", () => {
	const { health } = setUp({
		store: { health: () => ({ state: "full" }) },
		state: { draining: true, listeners: [] },
	});
	expect(health.status()).toBe("draining");
});

test("the report has the end of the certificate and the open listeners", async () => {
	const { health } = setUp({
		tls: { current: { validTo: new Date(Date.UTC(2030, 0, 1)) } },
		reach: { auth: "token", localTrust: false, insecureLan: true },
	});
	expect(await health.report(operator)).toMatchObject({
		certificate: { valid_to: "2030-01-01T00:00:00.000Z" },
		auth: "token",
		local_trust: false,
		insecure_lan: true,
	});
});

test("the local model server is reported with its state, and with its process if it runs", async () => {
	const status = { endpoint: "http://127.0.0.1:8080", modelDir: "/models", since: 0, restarts: 1 };
	const ready = setUp({ llama: () => ({ ...status, state: "ready", pid: 42 }) }).health;
	expect(await ready.report(operator)).toMatchObject({
		llama: {
			endpoint: "http://127.0.0.1:8080",
			model_dir: "/models",
			state: "ready",
			pid: 42,
			restarts: 1,
			since: "1970-01-01T00:00:00.000Z",
		},
	});
	const pausing = setUp({
		llama: () => ({ ...status, state: "pausing", pid: 0, reason: "it ended" }),
	}).health;
	const report: { llama?: object } = await pausing.report(operator);
	expect(report.llama).toMatchObject({ state: "pausing", reason: "it ended" });
	expect(report.llama).not.toHaveProperty("pid");
});
