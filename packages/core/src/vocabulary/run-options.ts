import { definedItems, ParleyError } from "@parley/base";
import { phasesSection, phaseTasks } from "../instructions/prompt-sections.ts";
import type { DelegationLimits } from "./delegation.ts";
import type { UndoScope } from "./file-change.ts";
import type { UserMessage } from "./message.ts";
import { type Reasoning, reasoningLevels } from "./model.ts";
import type { Principal } from "./principal.ts";
import type { RunOrigin } from "./schedule.ts";
import type { UsedSkill, WorkflowCall } from "./skill.ts";
import type { Step } from "./step.ts";
import { runOptionTexts } from "./texts.ts";

/** Options of one run, stored with it. */
export interface RunOptions {
	/** Agent profile for the run instead of the session's profile: instructions, tools, models and policy. */
	readonly agent?: string;
	/** Names of the tools that the run may use. The session must have these tools. */
	readonly tools?: readonly string[];
	/** Text that follows the system prompt of the session (`behind`) or replaces it (`instead`). */
	readonly system?: { readonly text: string; readonly place: "behind" | "instead" };
	/** `all`: every tool call needs approval, even if the policy allows it. */
	readonly ask?: "policy" | "all";
	/** `cancel`: a denial ends the run as cancelled, after the other tool calls of the same reply. */
	readonly onDenied?: "tell" | "cancel";
	/** `allDecided`: no tool call of a reply starts before all calls of the reply are decided. */
	readonly start?: "ready" | "allDecided";
	/**
	 * `cancel`: a run that needs a decision after a crash of the gateway is cancelled, because the run's client is gone.
	 * After an ordinary stop, the run waits for any client.
	 */
	readonly afterCrash?: "wait" | "cancel";
	readonly reasoning?: Reasoning;
	/** Name of a model, or a tier. The stored form is the resolved name. */
	readonly model?: string;
	/** Maximum tokens of input and output together for one request. A smaller context window of the model has precedence. */
	readonly contextTokens?: number;
	/** `ooda`: rounds of four model calls: observe, orient, decide, act. Only the last call has tools. */
	readonly mode?: "react" | "ooda";
	readonly budget?: RunBudget;
	/** Skill steps that the run executes instead of calling a model. Their result is the answer. */
	readonly workflow?: Omit<WorkflowCall, "callId">;
	/** Shell command of the operator. The run executes this command instead of calling a model. */
	readonly command?: string;
	/** Turn to undo. The run undoes the file changes of this turn instead of calling a model. */
	readonly undo?: UndoScope;
	/** Schedule that started the run. No grant of the session or channel applies to the run. */
	readonly origin?: RunOrigin;
	/** Set if the message came through an agent or its form; see `Principal.through`. Grants do not apply to the run. */
	readonly through?: Principal["through"];
	/** Set for the run of a sub-agent. */
	readonly delegated?: RunDelegation;
	/** Skill that a person started with the message, in its version at that time. */
	readonly skill?: UsedSkill;
}

export interface RunDelegation extends DelegationLimits {
	/** Name of the agent and title of the agent's work, as people see them. */
	readonly name: string;
}

/** Limits of one run. A reply that reaches a limit is still completed, but no further model call follows. */
export interface RunBudget {
	/** Maximum tokens of input and output together. */
	readonly tokens?: number;
	/** Maximum cost in billionths of a US dollar. */
	readonly cost?: number;
}

/** Whether no grant of the session or channel applies to a run, because a schedule, an agent or its form started it. */
export function isWithoutGrants({ origin, through }: RunOptions): boolean {
	return origin !== undefined || through !== undefined;
}

/** Returns the options for a run that the principal starts: `options`, and the principal's `through`. */
export function optionsThrough({ through }: Principal, options: RunOptions = {}): RunOptions {
	return through === undefined ? options : { ...options, through };
}

/** Options that need the permission to configure the session. */
const configuring = ["agent", "model", "reasoning", "mode"] as const;

export function configuresSession(options: RunOptions): boolean {
	return configuring.some((name) => options[name] !== undefined);
}

const maxSystemCharacters = 200_000;

/** Throws `invalid_argument` for an invalid option, with the allowed values. Does not check names of agents, tools and models. */
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
			throw new ParleyError(runOptionTexts.tooLong("system.text", length, maxSystemCharacters), {
				code: "invalid_argument",
			});
	}
	for (const name of ["tokens", "cost"] as const) {
		const limit = budget?.[name];
		if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) continue;
		throw invalid(`budget.${name}`, String(limit), runOptionTexts.positive);
	}
}

function oneOf(name: string, value: string | undefined, allowed: readonly string[]): void {
	if (value === undefined || allowed.includes(value)) return;
	throw invalid(name, JSON.stringify(value.slice(0, 100)), runOptionTexts.oneOf(allowed));
}

function invalid(name: string, value: string, allowed: string): ParleyError {
	return new ParleyError(runOptionTexts.notAllowed(name, value, allowed), { code: "invalid_argument" });
}

/** Throws `invalid_argument` if the session's tools lack one of the requested names. */
export function checkTools(requested: readonly string[], tools: readonly { readonly name: string }[]): void {
	const unknown = requested.filter((name) => !tools.some((tool) => tool.name === name));
	if (unknown.length === 0) return;
	const known = tools.map(({ name }) => name).join(", ");
	const names = JSON.stringify(unknown).slice(0, 200);
	throw new ParleyError(runOptionTexts.noTool(names, known), {
		code: "invalid_argument",
	});
}

/** Returns the system prompt for a run with these options. `session` is the system prompt of the session. */
export function systemOf(session: string, { system, mode }: RunOptions): string {
	const instead = system?.place === "instead" ? system.text : session;
	const behind = definedItems([
		system?.place === "behind" ? system.text : undefined,
		mode === "ooda" ? phasesSection : undefined,
	]);
	if (behind.length === 0) return instead;
	return `${[instead.trimEnd(), ...behind].join("\n\n")}\n`;
}

/** Message of each phase. A phase always has the same object, so that data derived from the message is computed once. */
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

type Mode = { readonly mode?: "react" | "ooda" } | undefined;

/**
 * Returns the phase of the next model call of a run, or undefined unless the mode is `ooda`. Each reply ends a phase,
 * so the phase follows from the steps, even after a restart.
 */
export function phaseOf(options: Mode, steps: readonly Step[]): OodaPhase | undefined {
	return phaseAfter(options, steps.filter(({ kind }) => kind === "reply").length);
}

/** Returns the phase after `replies` replies of the run. Undefined unless the mode is `ooda`. */
export function phaseAfter(options: Mode, replies: number): OodaPhase | undefined {
	return options?.mode === "ooda" ? oodaPhases[replies % oodaPhases.length] : undefined;
}

/** Whether the model may call tools and end the run in this phase. */
export function mayAct(phase: OodaPhase | undefined): boolean {
	return phase === undefined || phase === "act";
}

/** Returns the instructions of a phase. They are the last message in the phase's model request. */
export function askOf(phase: OodaPhase): UserMessage {
	return asks[phase];
}

/** Phases of a round in mode `ooda`, in order. Each phase is a separate model call. */
export const oodaPhases = ["observe", "orient", "decide", "act"] as const;
export type OodaPhase = (typeof oodaPhases)[number];
