import { type Clock, defined, type StoreHealth } from "@parley/base";
import type { Principal, ProviderState, SandboxState } from "@parley/core";
import type { Reach } from "../../../config/reach-facts.ts";
import type { LlamaStatus } from "../../../llama/llama-server.ts";

export type HealthStatus = "ok" | "degraded" | "draining";

export interface HealthState {
	draining: boolean;
	/** Listeners of the port; empty before the port is open. */
	listeners: readonly { readonly url: string; readonly tls: boolean }[];
}

interface ModelHealth {
	readonly model: string;
	/** Returns the states of the providers. Throws `permission_denied` if the principal may not read them. */
	health(principal: Principal): { readonly providers: readonly ProviderState[] };
}

export interface HealthDeps {
	readonly clock: Clock;
	readonly runtime: ModelHealth;
	readonly store: { health(): StoreHealth };
	readonly state: Readonly<HealthState>;
	readonly tls: { readonly current: { readonly validTo: Date } } | undefined;
	readonly reach: {
		readonly auth: Reach["auth"];
		readonly localTrust: boolean;
		readonly insecureLan: boolean;
	};
	readonly version: string;
	readonly sandbox: () => SandboxState;
	readonly provider: string;
	/** Host of the model server, if it does not belong to the provider. */
	readonly server: string | undefined;
	/** State of the policy. While `problem` is defined, the policy refuses all tool calls. */
	readonly policy: { readonly problem: string | undefined };
	/** Returns the state of the local model server; undefined if none is configured. */
	readonly llama: () => LlamaStatus | undefined;
}

/** Health of the gateway. The status is public, but the report is not. */
export interface Health {
	status(): HealthStatus;
	/**
	 * Returns the body of `/api/health?verbose`. Rejects with `permission_denied` if the principal may not read the
	 * report.
	 */
	report(principal: Principal): Promise<object>;
}

/**
 * Creates the object that reports the health of the gateway. A failing provider does not degrade the status, because
 * the gateway stores messages and answers them later.
 */
export function createHealth(deps: HealthDeps): Health {
	const startedAt = deps.clock.monotonic();
	const status = (): HealthStatus => {
		if (deps.state.draining) return "draining";
		const works = deps.store.health().state === "ok" && deps.policy.problem === undefined;
		return works ? "ok" : "degraded";
	};
	return {
		status,
		async report(principal) {
			const { providers } = deps.runtime.health(principal);
			return {
				status: status(),
				version: deps.version,
				uptime_s: Math.floor((deps.clock.monotonic() - startedAt) / 1_000),
				...encodeReach(deps),
				sandbox: deps.sandbox(),
				provider: encodeProvider(deps, providers),
				providers: providers.map(encodeTime),
				storage: encodeTime(deps.store.health()),
				...encodePolicy(deps.policy),
				...encodeLlama(deps.llama()),
			};
		},
	};
}

function encodeLlama(status: LlamaStatus | undefined): object {
	if (!status) return {};
	const { endpoint, modelDir, pid, restarts, ...rest } = status;
	return {
		llama: defined({
			endpoint,
			model_dir: modelDir === "" ? undefined : modelDir,
			...encodeTime(rest),
			pid: pid > 0 ? pid : undefined,
			restarts,
		}),
	};
}

function encodePolicy({ problem: reason }: HealthDeps["policy"]): object {
	return reason === undefined ? {} : { policy: { state: "broken", reason } };
}

function encodeReach({ state, tls, reach }: HealthDeps): object {
	return defined({
		listeners: state.listeners,
		certificate: tls && { valid_to: tls.current.validTo.toISOString() },
		auth: reach.auth,
		local_trust: reach.localTrust,
		insecure_lan: reach.insecureLan,
	});
}

function encodeProvider(
	{ runtime, provider: name, server }: HealthDeps,
	providers: readonly ProviderState[],
): object {
	const { model } = runtime;
	const known = providers.find((one) => one.provider === name && one.model === model);
	const found = known
		? { state: known.state, since: known.since, reason: known.reason }
		: { state: "unknown" };
	return defined({ name, model, server, ...encodeTime(found) });
}

function encodeTime({
	since,
	reason,
	...rest
}: {
	readonly state: string;
	readonly since?: number;
	readonly reason?: string;
}): object {
	return defined({
		...rest,
		since: since === undefined ? undefined : new Date(since).toISOString(),
		reason: reason || undefined,
	});
}
