import { defined, ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import { budgetLeft } from "../../usage/ledger.ts";
import type { Message } from "../../vocabulary/message.ts";
import type { ModelRequest, Reply, StopReason } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { askOf, mayAct, phaseOf, systemOf } from "../../vocabulary/run-options.ts";
import { hadApprovals } from "../../vocabulary/step.ts";
import { messagesOf, textOf, withPersonalNotes } from "../../vocabulary/transcript.ts";
import { fitRequest } from "../context/fit-request.ts";
import { budgetLeftOf, refusalOf, type SpendingPorts } from "../run/limits.ts";
import type { Run } from "../run/run.ts";
import { modelLimits, type PromptAgent, type RunSettings } from "../run/settings.ts";
import { silentListener } from "./live-reply.ts";
import { readerOf } from "./memories-of-run.ts";
import { nextTry, triesOf } from "./retries.ts";
import { recordAttempt, type StreamPorts, streamReply } from "./stream-reply.ts";
import { replyTexts } from "./texts.ts";

/** Ports for a text that is hidden from clients. */
export interface TextPorts extends StreamPorts, SpendingPorts {
	/** Returns a random number from 0 up to, but not including, 1. Spreads simultaneous retries. */
	readonly random: () => number;
}

export interface ReplyPorts extends TextPorts {
	readonly systemPrompt: SystemPromptOf;
}

export type SystemPromptOf = (session: Session, by: PromptAgent) => Promise<string>;

/**
 * Returns the request for the run's next reply, with as much of the conversation as fits the window of the model. May
 * first call the model to summarise older parts. Throws if the newest parts alone are too large, or if a compaction
 * cannot be recorded.
 */
export async function nextRequest(run: Run, model: string, ports: ReplyPorts): Promise<ModelRequest> {
	if (run.settings.model.settled) await run.settings.model.settled(run.control.signal, model);
	const { parts, limits } = await requestParts(run, model, ports);
	const phase = phaseOf(run.row.options, run.steps);
	const ownTexts = ownMessages(run);
	const own = { ordinal: run.row.ordinal, messages: phase ? [...ownTexts, askOf(phase)] : ownTexts };
	const asker = {
		id: run.id,
		session: run.session,
		contexts: ports.contexts,
		journal: run.journal,
		log: run.log,
		signal: run.control.signal,
		settings: { model: run.settings.model, ...limits },
	};
	return fitRequest(asker, parts, [...run.history, own], (text) =>
		askForText(run, text, { first: model, purpose: "a summary" }, ports),
	);
}

/**
 * Returns the messages of the run. In a chat, omits personal notes and the complete texts of results unless
 * exactly one person participates in the run.
 */
function ownMessages(run: Run): readonly Message[] {
	const messages = messagesOf(run.row, run.steps);
	return readerOf(run).user === undefined ? messages : withPersonalNotes(messages, run.steps);
}

/**
 * Requests a text that is hidden from clients, such as a summary. `first` is the first model to try. Usage and limits
 * apply as for every model call. Throws `resource_exhausted` if a limit or budget is reached, and the error of the last
 * call if no call returns a usable text.
 */
export async function askForText(
	run: Run,
	text: Omit<ModelRequest, "model" | "tools">,
	{ first, purpose }: { readonly first: string; readonly purpose: TextPurpose },
	ports: TextPorts,
): Promise<string> {
	const useless = (reply: Reply) => withoutText(reply, purpose);
	const refused = await refusalOf(run, first, ports);
	if (refused) throw new ParleyError(refused.error, { code: "resource_exhausted" });
	const tries = triesOf(run, ports.random, first, maxTextCalls);
	for (;;) {
		const request = { ...text, model: tries.model, tools: [] };
		const answer = await streamReply(run, request, silentListener, ports);
		const next = await nextTry(run, answer, tries, { spending: ports, useless });
		if (next?.refused) throw new ParleyError(next.refused.error, { code: "resource_exhausted" });
		if (next) continue;
		await run.commit((writing) => recordAttempt(run, answer, writing, ports));
		const failure = answer.reply.failure ?? useless(answer.reply);
		if (failure?.code === "cancelled" || failure instanceof ModelError) throw failure;
		if (failure) throw new ModelError(failure.message, { fault: "rejected", cause: failure });
		return textOf(answer.reply.content);
	}
}

/** Maximum model calls for one text, including failed calls. */
const maxTextCalls = 2;

type TextPurpose = "a summary" | "a verdict";

/**
 * Returns an error if a complete reply is not usable as a text, because the model refused or wrote no text. Otherwise
 * returns undefined.
 */
export function withoutText({ content, stop }: Reply, purpose: TextPurpose): ModelError | undefined {
	if (stop !== "refusal" && textOf(content).trim() !== "") return undefined;
	const reason = (stop && reasons[stop]) ?? replyTexts.noText;
	return new ModelError(replyTexts.unusable(purpose, reason), { fault: "interrupted" });
}

const reasons: Readonly<Partial<Record<StopReason, string>>> = {
	refusal: replyTexts.refused,
	max_tokens: replyTexts.lengthLimit,
};

interface RequestParts {
	readonly parts: Omit<ModelRequest, "messages">;
	/** Limits in tokens. */
	readonly limits: ReturnType<typeof modelLimits>;
}

/**
 * Output tokens that are allowed even above the budget. A reply with a lower limit is useless, and the cost of these
 * tokens is small.
 */
const leastOutput = 4_096;

/**
 * Lowers the maximum output to the amount that the budgets leave, but not below `leastOutput`. Ignores the cost of the
 * input, because the size of the input is not known yet.
 */
async function withinBudget(
	limits: RequestParts["limits"],
	{ session, settings, row, steps, journal, clock }: Run,
	model: string,
	{ table, budgets }: SpendingPorts,
): Promise<RequestParts["limits"]> {
	const ofRun = budgetLeftOf(row.options, steps);
	const maxOutput = Math.min(limits.maxOutput, Math.max(leastOutput, ofRun.tokens));
	const { prices, longPrompt } = table.find(model, settings.model.provider) ?? {};
	const price = Math.max(prices?.output ?? 0, longPrompt?.prices.output ?? 0);
	if (price === 0) return { ...limits, maxOutput };
	const ofSession = await budgetLeft(journal.store, session.home.id, clock.now(), budgets);
	const left = Math.min(ofSession ?? Number.POSITIVE_INFINITY, ofRun.cost);
	// One dollar per million tokens is 1,000 billionths of a dollar per token.
	const payable = Math.max(leastOutput, Math.floor(left / (price * 1_000)));
	return { ...limits, maxOutput: Math.min(maxOutput, payable) };
}

/** Returns the system prompt of the session, followed by the clients' guidance about their tools. */
export async function systemFor({
	session,
	settings,
	systemPrompt,
}: {
	readonly session: Session;
	readonly settings: RunSettings;
	readonly systemPrompt: SystemPromptOf;
}): Promise<string> {
	const { agent, instructions, clientContext } = settings;
	const system = await systemPrompt(session, { agent, instructions });
	return clientContext === "" ? system : `${system.trimEnd()}\n\n${clientContext}\n`;
}

async function requestParts(run: Run, model: string, ports: ReplyPorts): Promise<RequestParts> {
	const { session, settings, row, steps } = run;
	const { table, systemPrompt } = ports;
	const limits = await withinBudget(modelLimits(settings, model, table), run, model, ports);
	const parts = {
		model,
		system: systemOf(await systemFor({ session, settings, systemPrompt }), row.options),
		tools: mayAct(phaseOf(row.options, steps)) ? settings.descriptions : [],
		...defined({ reasoning: settings.reasoning, awaitsPeople: hadApprovals(steps) || undefined }),
		sampling: { ...settings.sampling, maxTokens: limits.maxOutput },
	};
	return { parts, limits };
}
