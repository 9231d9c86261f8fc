import { definedItems, ParleyError } from "@parley/base";
import { phasesSection, phaseTasks } from "../instructions/prompt-sections.ts";
import type { DelegationLimits } from "./delegation.ts";
import type { UserMessage } from "./message.ts";
import { type Reasoning, reasoningLevels } from "./model.ts";
import type { Principal } from "./principal.ts";
import type { RunOrigin } from "./schedule.ts";
import type { UsedSkill, WorkflowCall } from "./skill.ts";
import type { Step } from "./step.ts";
import { runOptionTexts } from "./texts.ts";

/** Options of one run, stored with it. A run without options follows its session. */
export interface RunOptions {
	/** The agent profile that works on the run, in place of the session's: its instructions, tools, models and policy. */
	readonly agent?: string;
	/** Names of the only tools that the run may use, of those that the session has. */
	readonly tools?: readonly string[];
	/** Text after the system prompt of the session, or instead of it. */
	readonly system?: { readonly text: string; readonly place: "behind" | "instead" };
	/** `all`: every call needs approval, also one that the policy allows. */
	readonly ask?: "policy" | "all";
	/** `cancel`: a person who denies a call ends the run as cancelled, after the other calls of the reply. */
	readonly onDenied?: "tell" | "cancel";
	/** `allDecided`: no call of a reply starts before all calls that were proposed with it are decided. */
	readonly start?: "ready" | "allDecided";
	/**
	 * `cancel`: after a crash of the gateway the run is cancelled when it needs a decision, because its client is lost. A
	 * stop of the gateway ends this: the run then waits for any client.
	 */
	readonly afterCrash?: "wait" | "cancel";
	readonly reasoning?: Reasoning;
	/** Model name or tier. The real name is stored. */
	readonly model?: string;
	/** Tokens of input and output together that one request of the run may have, if the model has room for more. */
	readonly contextTokens?: number;
	/** `ooda`: rounds of four model calls: observe, orient, decide, act. Only the last of them has tools. */
	readonly mode?: "react" | "ooda";
	readonly budget?: RunBudget;
	/** The steps of a skill, which the run works on instead of asking a model. Its result is the answer. */
	readonly workflow?: Omit<WorkflowCall, "callId">;
	/** A shell command of the operator, which the run executes instead of asking a model. */
	readonly command?: string;
	/** The schedule that started the run. Such a run has no grants of its session or channel. */
	readonly origin?: RunOrigin;
	/** The message came through an agent or its form: see `Principal.through`. Such a run has no grants either. */
	readonly through?: Principal["through"];
	/** Set for the run of a sub-agent. */
	readonly delegated?: RunDelegation;
	/** The skill that a person started with the message, unchanged since then. */
	readonly skill?: UsedSkill;
}

export interface RunDelegation extends DelegationLimits {
	/** The agent and its work, for people. */
	readonly name: string;
}

/** Limits of one run. The reply that reaches one is complete; no further model call follows it. */
export interface RunBudget {
	/** Tokens of input and output together. */
	readonly tokens?: number;
	/** Billionths of a US dollar. */
	readonly cost?: number;
}

/** Whether no grant of the session or channel covers the calls of a run: a schedule or an agent has started it. */
export function isWithoutGrants({ origin, through }: RunOptions): boolean {
	return origin !== undefined || through !== undefined;
}

/** Options of a run that the principal starts. */
export function optionsThrough({ through }: Principal, options: RunOptions = {}): RunOptions {
	return through === undefined ? options : { ...options, through };
}

/** Options that change the configuration of a session for a run. They need the right to configure the session. */
const configuring = ["agent", "model", "reasoning", "mode"] as const;

export function configuresSession(options: RunOptions): boolean {
	return configuring.some((name) => options[name] !== undefined);
}

/** Maximum characters of `system`. */
const maxSystemCharacters = 200_000;

/** Throws `invalid_argument` with the option, its value and the allowed values. Names of tools and models are not checked. */
export function checkOptions({ contextTokens, system, budget, ...words }: RunOptions): void {
	const { ask, onDenied, start, afterCrash, mode, reasoning } = words;
	if (contextTokens !== undefined && !(Number.isSafeInteger(contextTokens) && contextTokens > 0)) {
		throw invalid("contextTokens", String(contextTokens), runOptionTexts.positive);
	}
	oneOf("ask", ask, ["policy", "all"]);
	oneOf("onDenied", onDenied, ["tell", "cancel"]);
	oneOf("start", start, ["ready", "allDecided"]);
	oneOf("afterCrash", afterCrash, ["wait", "cancel"]);
	oneOf("mode", mode, ["react", "ooda"]);
	oneOf("reasoning", reasoning, reasoningLevels);
	if (system) {
		oneOf("system.place", system.place, ["behind", "instead"]);
		const { length } = system.text;
		if (system.text.trim() === "") throw invalid("system.text", `""`, runOptionTexts.notBlank);
		if (length > maxSystemCharacters)
			throw invalid("system.text", `${length} characters`, runOptionTexts.maxCharacters(maxSystemCharacters));
	}
	for (const name of ["tokens", "cost"] as const) {
		const limit = budget?.[name];
		if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) continue;
		throw invalid(`budget.${name}`, String(limit), runOptionTexts.positive);
	}
}

function oneOf(name: string, value: string | undefined, allowed: readonly string[]): void {
	if (value === undefined || allowed.includes(value)) return;
	throw invalid(name, JSON.stringify(value.slice(0, 100)), allowed.join(", "));
}

function invalid(name: string, value: string, allowed: string): ParleyError {
	return new ParleyError(runOptionTexts.notAllowed(name, value, allowed), { code: "invalid_argument" });
}

/** Throws `invalid_argument` if the session lacks one of the tools. */
export function checkTools(requested: readonly string[], tools: readonly { readonly name: string }[]): void {
	const unknown = requested.filter((name) => !tools.some((tool) => tool.name === name));
	if (unknown.length === 0) return;
	const known = tools.map(({ name }) => name).join(", ");
	const names = JSON.stringify(unknown).slice(0, 200);
	throw new ParleyError(runOptionTexts.noTool(names, known), {
		code: "invalid_argument",
	});
}

/** The system prompt of a run with these options. */
export function systemOf(session: string, { system, mode }: RunOptions): string {
	const instead = system?.place === "instead" ? system.text : session;
	const behind = definedItems([
		system?.place === "behind" ? system.text : undefined,
		mode === "ooda" ? phasesSection : undefined,
	]);
	if (behind.length === 0) return instead;
	return `${[instead.trimEnd(), ...behind].join("\n\n")}\n`;
}

/** One message object for each phase, so that data derived from it is computed once. */
const asks: Readonly<Record<OodaPhase, UserMessage>> = {
	observe: ask("observe"),
	orient: ask("orient"),
	decide: ask("decide"),
	act: ask("act"),
};

function ask(phase: OodaPhase): UserMessage {
	const tools = phase === "act" ? runOptionTexts.hasTools : runOptionTexts.hasNoTools;
	return {
		role: "user",
		content: [{ type: "text", text: `[Phase: ${phase}. ${tools}]\n${phaseTasks[phase]}` }],
	};
}

/** Options of a run that decide about phases. */
type Mode = { readonly mode?: "react" | "ooda" } | undefined;

/**
 * Phase of the next model call of a run. Undefined in another mode. Each reply ends a phase, so the steps give the phase
 * also after a restart.
 */
export function phaseOf(options: Mode, steps: readonly Step[]): OodaPhase | undefined {
	return phaseAfter(options, steps.filter(({ kind }) => kind === "reply").length);
}

/** Phase after this number of replies of the run. */
export function phaseAfter(options: Mode, replies: number): OodaPhase | undefined {
	return options?.mode === "ooda" ? oodaPhases[replies % oodaPhases.length] : undefined;
}

/** Whether the model may call tools, and may end the run, in this phase. */
export function mayAct(phase: OodaPhase | undefined): boolean {
	return phase === undefined || phase === "act";
}

/** The instructions of a phase, as the last message of its request. */
export function askOf(phase: OodaPhase): UserMessage {
	return asks[phase];
}

/** The phases of a round in the mode `ooda`, in their order. Each is a separate model call. */
export const oodaPhases = ["observe", "orient", "decide", "act"] as const;
export type OodaPhase = (typeof oodaPhases)[number];
