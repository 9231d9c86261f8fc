import { definedItems, parseJson } from "@parley/base";
import type { SandboxFeatures } from "@parley/core";
import type { Io } from "../command-line/io.ts";
import { healthTexts } from "../texts/gateway/health.ts";
import { type AddressFlags, findGateway } from "./gateway-address.ts";
import { answerError, getFromGateway } from "./gateway-http.ts";

/** Health report of a gateway. A gateway of an earlier version sends fewer fields. */
export interface HealthReport {
	readonly listeners?: readonly { readonly url: string; readonly tls: boolean }[];
	readonly certificate?: { readonly valid_to: string };
	readonly auth?: string;
	readonly local_trust?: boolean;
	readonly insecure_lan?: boolean;
	readonly sandbox?: SandboxReport;
	readonly provider?: { readonly state: string; readonly since?: string; readonly reason?: string };
	readonly storage?: { readonly state: string; readonly since?: string };
	/** State of the local model server. Present only if one is configured. */
	readonly llama?: LlamaReport;
	/**
	 * State of the operator's policy. Present only if the policy is invalid. The gateway then denies every tool
	 * call.
	 */
	readonly policy?: { readonly state: string; readonly reason?: string };
}

interface LlamaReport {
	readonly endpoint: string;
	readonly state: string;
	readonly since?: string;
	readonly pid?: number;
	readonly restarts: number;
	readonly reason?: string;
	readonly tokens?: string;
}

/** State of the sandbox. A gateway of an earlier version reports only the mode. */
interface SandboxReport {
	readonly mode: string;
	readonly state?: string;
	readonly operator?: string;
	readonly chat?: string;
	readonly reason?: string;
	readonly fix?: string;
	readonly features?: SandboxFeatures;
}

const patienceMs = 3_000;

/**
 * Reads the health report of the gateway. Resolves with null if this user may not read the report. Rejects if no
 * gateway answers, for another status than 200, or if the response is not JSON.
 */
export async function readHealthReport(flags: AddressFlags, io: Io): Promise<HealthReport | null> {
	const address = await findGateway(flags, io);
	const signal = AbortSignal.timeout(patienceMs);
	const answered = await getFromGateway(address, "/api/health?verbose", signal);
	if (answered.status === 403) return null;
	if (answered.status !== 200) throw answerError(address, answered);
	const report = parseJson(answered.text);
	// The cast is safe for every gateway that answers with 200, because it is Parley's own gateway and all fields are
	// optional.
	return typeof report === "object" ? (report as HealthReport) : null;
}

export function healthRows({
	storage,
	policy,
	provider,
	sandbox,
	llama,
	...health
}: HealthReport): [string, string][] {
	return definedItems([
		health.auth === undefined
			? undefined
			: ([healthTexts.access, accessOf(health)] satisfies [string, string]),
		health.certificate
			? (["", healthTexts.certificateUntil({ day: health.certificate.valid_to.slice(0, 10) })] satisfies [
					string,
					string,
				])
			: undefined,
		...troubleRow(healthTexts.provider, provider, ["ok", "unknown"]),
		llama ? ([healthTexts.localModel, llamaWords(llama)] satisfies [string, string]) : undefined,
		...troubleRow(healthTexts.storage, storage, ["ok"]),
		...troubleRow(healthTexts.policy, policy, ["ok"]),
		sandbox ? ([healthTexts.sandbox, sandboxOf(sandbox)] satisfies [string, string]) : undefined,
		sandbox?.fix === undefined
			? undefined
			: (["", healthTexts.fix({ fix: sandbox.fix })] satisfies [string, string]),
	]);
}

function accessOf({ auth, local_trust, insecure_lan }: HealthReport): string {
	if (insecure_lan) return healthTexts.insecureLan;
	if (auth === "none") return healthTexts.withoutToken;
	return local_trust ? healthTexts.ownPrograms : healthTexts.allNeedToken;
}

const llamaStates: Readonly<Record<string, string>> = {
	external: healthTexts.llamaExternal,
	idle: healthTexts.llamaIdle,
	found: healthTexts.llamaInUse,
	pausing: healthTexts.llamaPausing,
	loading: healthTexts.llamaLoading,
};

export function llamaWords({ endpoint, state, pid, restarts, reason, tokens }: LlamaReport): string {
	const facts = definedItems([
		endpoint,
		llamaStates[state] ?? state,
		pid === undefined ? undefined : healthTexts.process({ pid }),
		restarts === 0 ? undefined : healthTexts.restarts({ count: restarts }),
		tokens === "estimated" ? healthTexts.estimatedTokens : undefined,
	]);
	return `${facts.join(", ")}${reason === undefined ? "" : `: ${reason}`}`;
}

function sandboxOf({ state, operator, chat, reason, mode }: SandboxReport): string {
	if (state === "checking" || state === "wanted") return healthTexts.sandboxChecking;
	if (state === "unavailable") return `${withoutSandbox(operator)}: ${reason ?? healthTexts.unknownReason}`;
	const words = operator === undefined ? mode : (confinements[operator] ?? operator);
	return operator === "off" && chat === "bubblewrap"
		? healthTexts.chatsInBubblewrap({ operator: words })
		: words;
}

const confinements: Readonly<Record<string, string>> = {
	off: healthTexts.sandboxOff,
	container: healthTexts.sandboxContainer,
};

function withoutSandbox(operator: string | undefined): string {
	if (operator === "none") return healthTexts.noCommands;
	return healthTexts.onlyOwnCommands;
}

interface State {
	readonly state: string;
	readonly since?: string;
	readonly reason?: string;
}

function troubleRow(name: string, known: State | undefined, fine: readonly string[]): [string, string][] {
	if (!known || fine.includes(known.state)) return [];
	return [[name, healthTexts.trouble(known)]];
}
