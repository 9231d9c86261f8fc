import { definedItems, parseJson } from "@parley/base";
import type { SandboxFeatures } from "@parley/core";
import type { Io } from "../command-line/io.ts";
import { type AddressFlags, findGateway } from "./gateway-address.ts";
import { getFromGateway } from "./gateway-http.ts";

/** Health report of a gateway. Earlier versions send fewer fields. */
export interface HealthReport {
	readonly listeners?: readonly { readonly url: string; readonly tls: boolean }[];
	readonly certificate?: { readonly valid_to: string };
	readonly auth?: string;
	readonly local_trust?: boolean;
	readonly insecure_lan?: boolean;
	readonly sandbox?: SandboxReport;
	readonly provider?: { readonly state: string; readonly since?: string; readonly reason?: string };
	readonly storage?: { readonly state: string; readonly since?: string };
	/** Only if a local model server is configured. */
	readonly llama?: LlamaReport;
	/** Only if the policy of the operator is invalid. Then every call is denied. */
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

/** Sandbox as the gateway reports it. Earlier versions report only the mode. */
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

/** Health report of the gateway; null if this user may not read it. */
export async function readHealthReport(flags: AddressFlags, io: Io): Promise<HealthReport | null> {
	const address = await findGateway(flags, io);
	const signal = AbortSignal.timeout(patienceMs);
	const { status, text } = await getFromGateway(address, "/api/health?verbose", signal);
	const report = parseJson(text);
	// True for every gateway that answers with 200: it is our own, and all fields may be missing.
	return status === 200 && typeof report === "object" ? (report as HealthReport) : null;
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
		health.auth === undefined ? undefined : (["access", accessOf(health)] satisfies [string, string]),
		health.certificate
			? (["", `certificate until ${health.certificate.valid_to.slice(0, 10)}`] satisfies [string, string])
			: undefined,
		...troubleRow("provider", provider, ["ok", "unknown"]),
		llama ? (["local model", llamaWords(llama)] satisfies [string, string]) : undefined,
		...troubleRow("storage", storage, ["ok"]),
		...troubleRow("policy", policy, ["ok"]),
		sandbox ? (["sandbox", sandboxOf(sandbox)] satisfies [string, string]) : undefined,
		sandbox?.fix === undefined ? undefined : (["", `fix: ${sandbox.fix}`] satisfies [string, string]),
	]);
}

function accessOf({ auth, local_trust, insecure_lan }: HealthReport): string {
	if (insecure_lan) return "clients with the token, which is sent unencrypted (--insecure-lan)";
	if (auth === "none") return "all users of this machine, without a token (--auth none)";
	return local_trust ? "this user's programs; others need the token" : "all clients need the token";
}

const llamaStates: Readonly<Record<string, string>> = {
	external: "not started by the gateway",
	idle: "starts with the first request",
	found: "in use, not started by the gateway",
	pausing: "stopped, will be restarted",
	loading: "loading its model",
};

export function llamaWords({ endpoint, state, pid, restarts, reason, tokens }: LlamaReport): string {
	const facts = definedItems([
		endpoint,
		llamaStates[state] ?? state,
		pid === undefined ? undefined : `process ${pid}`,
		restarts === 0 ? undefined : `restarted ${restarts} ${restarts === 1 ? "time" : "times"}`,
		tokens === "estimated" ? "token counts are estimates" : undefined,
	]);
	return `${facts.join(", ")}${reason === undefined ? "" : `: ${reason}`}`;
}

function sandboxOf({ state, operator, chat, reason, mode }: SandboxReport): string {
	if (state === "checking" || state === "wanted") return "being checked: commands wait for the result";
	if (state === "unavailable") return `${withoutSandbox(operator)}: ${reason ?? "unknown reason"}`;
	const words = operator === undefined ? mode : (confinements[operator] ?? operator);
	return operator === "off" && chat === "bubblewrap" ? `${words}; commands of chats: bubblewrap` : words;
}

const confinements: Readonly<Record<string, string>> = {
	off: "off: commands run with your permissions",
	container: "container: commands can access everything in the container of the gateway",
};

function withoutSandbox(operator: string | undefined): string {
	if (operator === "none") return "none: no command runs";
	return "none: your commands run with your permissions, and commands of chats do not run";
}

interface State {
	readonly state: string;
	readonly since?: string;
	readonly reason?: string;
}

/** A row for a state that needs attention. */
function troubleRow(name: string, known: State | undefined, fine: readonly string[]): [string, string][] {
	if (!known || fine.includes(known.state)) return [];
	const since = known.since === undefined ? "" : `, since ${known.since}`;
	return [[name, `${known.state}${known.reason === undefined ? "" : `: ${known.reason}`}${since}`]];
}
