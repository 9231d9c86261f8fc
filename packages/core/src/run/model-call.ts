import { ParleyError } from "@parley/base";
import { fitRequest } from "../context/fit-request.ts";
import type { ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { recordAttempt } from "./attempt.ts";
import { refusalOf } from "./refusal.ts";
import { requestParts } from "./request-parts.ts";
import type { Run } from "./run.ts";
import { silent, speaking } from "./speaking.ts";
import { summaryCalls, withoutText } from "./summary-reply.ts";
import { messagesOf, textOf } from "./transcript.ts";
import { type Answer, type Stopped, withRetries } from "./with-retries.ts";

/**
 * Calls the model for the run's next reply and lets its text out while it comes. A failure is part of the answer; this
 * throws only where the request cannot be put together, or the record cannot be written.
 */
export async function callModel(run: Run): Promise<Answer | Stopped> {
	const requestFor = async (model: string): Promise<ModelRequest> => {
		const parts = await requestParts(run, model);
		const own = { ordinal: run.row.ordinal, messages: messagesOf(run.row, run.steps) };
		const transcript = [...run.history, own];
		const asker = {
			...{ id: run.id, session: run.session, signal: run.signal },
			settings: { model: run.settings.model, ...parts.limits },
		};
		return fitRequest(asker, parts.parts, transcript, (text) => callForText(run, text, model));
	};
	return withRetries(run, {
		names: namesFrom(run, run.asking),
		speech: speaking(run),
		steerable: true,
		requestFor,
	});
}

/**
 * Asks the model for a text, such as a summary, which nobody sees while it comes. Counted and limited like every call;
 * throws what made it fail.
 */
async function callForText(
	run: Run,
	request: Omit<ModelRequest, "model" | "tools">,
	first: string,
): Promise<string> {
	const refused = await refusalOf(run, first);
	if (refused !== undefined) throw new ParleyError(refused, { code: "resource_exhausted" });
	const requestFor = async (model: string): Promise<ModelRequest> => ({ ...request, model, tools: [] });
	const names = namesFrom(run, first);
	const limits = { most: summaryCalls, useless: withoutText };
	const answer = await withRetries(run, { names, speech: silent, steerable: false, requestFor, ...limits });
	if ("stopped" in answer) throw answer.stopped;
	await run.commit((tx, record, step) => recordAttempt(run, answer, { tx, record, step }));
	const failure = answer.reply.failure ?? withoutText(answer.reply);
	if (failure?.code === "cancelled" || failure instanceof ModelError) throw failure;
	if (failure) throw new ModelError(failure.message, { fault: "rejected", cause: failure });
	return textOf(answer.reply.content);
}

/** Who has taken over from models that stayed away goes on; those are not asked again in this run. */
function namesFrom({ settings: { names } }: Run, first: string | undefined): readonly string[] {
	return names.slice(Math.max(0, first === undefined ? 0 : names.indexOf(first)));
}
