import { ParleyError, type Timer } from "@parley/base";
import type { Elicitation, ElicitationAnswer, Prompt } from "../prompt.ts";
import {
	type Asking,
	expirePrompt,
	findPrompt,
	isOpen,
	type PromptRow,
	promptLifeMs,
	type Question,
	raisePrompt,
} from "../session/prompts.ts";
import { findTrust } from "../session/trust.ts";
import type { Run } from "./run.ts";

/** The prompt of a question, with its token and its end. */
export function promptOf(run: Run, facts: Omit<Prompt, "token" | "runId" | "expiresAt">): Prompt {
	const { clock, ids } = run.session.deps;
	const { approvalMs = promptLifeMs } = run.deps.profileOf(run.session);
	const { task } = run.session;
	return {
		...{ token: ids.create("prompt"), runId: run.id, expiresAt: clock.now() + approvalMs, ...facts },
		...(task && { taskId: task.taskId }),
	};
}

/**
 * Asks, or goes on waiting where the question was asked before a restart, and returns the row when it is settled;
 * undefined where `accept_all_tools` made the question needless before it was asked. The run's working time stands
 * still meanwhile. Throws `cancelled` when the run is stopped first.
 */
async function askPerson(run: Run, asking: Asking, question: () => Question): Promise<PromptRow | undefined> {
	const known = await readPrompt(run, asking);
	if (known && known.state !== "open") return known;
	const prompt = known?.prompt ?? (await raise(run, question()));
	if (!prompt) return undefined;
	// Nobody will answer before the next start.
	if (run.session.deps.stopping()) run.control.park();
	run.control.working.stop();
	try {
		return await settled(run, asking, prompt, run.control.signal);
	} finally {
		run.control.working.start();
	}
}

/** Asks for something other than permission. */
export async function elicit(run: Run, callId: string, elicitation: Elicitation): Promise<ElicitationAnswer> {
	const row = await askPerson(run, { runId: run.id, callId, kind: "elicitation" }, () => ({
		callId,
		prompt: promptOf(run, { ...shownQuestion(run, elicitation), placeholder: "" }),
	}));
	if (row?.answer?.kind === "value") return { outcome: "answered", value: row.answer.value };
	if (row?.state === "expired") return { outcome: "expired" };
	const reason = row?.answer?.kind === "cancelled" ? row.answer.reason : undefined;
	return { outcome: "cancelled", ...(reason !== undefined && { reason }) };
}

/** What people see of a question holds no secret. */
function shownQuestion(run: Run, { validation, ...asked }: Elicitation): Elicitation {
	const redactor = run.session.redactor.into("question");
	return {
		...asked,
		label: redactor.redact(asked.label),
		options: asked.options.map((option) => ({
			...option,
			value: redactor.redact(option.value),
			label: redactor.redact(option.label),
			description: redactor.redact(option.description),
		})),
		// A pattern with a hole would refuse every answer.
		validation: redactor.redact(validation) === validation ? validation : "",
	};
}

/**
 * Writes the question down. Somebody may have trusted the session since the call was decided: seen in the same
 * transaction that would open the question, so that none stays open in a trusted session.
 */
async function raise(run: Run, question: Question): Promise<Prompt | undefined> {
	const { session } = run;
	const raised = await run.commit(async ({ tx, record }) => {
		const coverable = question.approval?.floor === false;
		const { home } = session;
		if (coverable && home.holds(await findTrust(tx, home.id))) return false;
		await raisePrompt(tx, record, home, question);
		return true;
	});
	await session.deps.failpoints.reach("prompt-open");
	return raised ? question.prompt : undefined;
}

/** The row is the truth: a word of it that never comes costs no more than this. Milliseconds. */
const lookAgainMs = 1_500;

/**
 * Returns the row of an open prompt once it is settled, and ends the prompt when it expires. Throws `cancelled` if the
 * signal aborts first.
 */
export async function settled(
	run: Run,
	asking: Asking,
	{ token, expiresAt }: Prompt,
	signal: AbortSignal,
): Promise<PromptRow> {
	const { clock } = run.session.deps;
	const { home } = run.session;
	try {
		for (;;) {
			const woken = home.awake(token);
			const row = await readPrompt(run, asking);
			if (row && row.state !== "open") return row;
			if (signal.aborted) throw new ParleyError("the run was stopped", { code: "cancelled" });
			if (clock.now() < expiresAt) {
				await firstOf(run, woken, { token, ms: expiresAt - clock.now(), signal });
			} else await run.commit(({ tx, record }) => expirePrompt(tx, record, home, token));
		}
	} finally {
		home.wake(token);
	}
}

/** Resolves when the prompt is answered, the signal aborts, or the time is over. */
async function firstOf(
	run: Run,
	woken: Promise<void>,
	{ token, ms, signal }: { readonly token: string; readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const stop = (): void => resolve();
	const timer = run.session.deps.clock.after(ms, stop);
	signal.addEventListener("abort", stop, { once: true });
	const looking = lookAgain(run, token, stop);
	await Promise.race([woken, promise]);
	looking.cancel();
	timer.cancel();
	signal.removeEventListener("abort", stop);
}

/** Looks at the row now and then, and calls `onSettled` when it is not open any more. */
function lookAgain(run: Run, token: string, onSettled: () => void): Timer {
	const { clock, journal } = run.session.deps;
	let cancelled = false;
	const look = async (): Promise<void> => {
		// Where the store fails the next look, or the end of the time, tells.
		const open = await journal.store.read((db) => isOpen(db, token)).catch(() => true);
		if (!open) onSettled();
		else if (!cancelled) timer = clock.after(lookAgainMs, () => void look());
	};
	let timer = clock.after(lookAgainMs, () => void look());
	return {
		cancel: () => {
			cancelled = true;
			timer.cancel();
		},
	};
}

function readPrompt(run: Run, asking: Asking): Promise<PromptRow | undefined> {
	return run.session.deps.journal.store.read((db) => findPrompt(db, asking));
}
