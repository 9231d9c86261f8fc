import { readContents } from "../blocks/contents.ts";
import { addMessage, announce, changeMessage, removeMessage, threadOf } from "../platform/messages.ts";
import type { InteractionRecord } from "../platform/records.ts";
import { Refusal } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import { Contract } from "./contract.ts";
import type { ApiResponse } from "./exchange.ts";
import type { ChatMethods } from "./method-arguments.ts";
import { faultyArguments, refused } from "./web-api.ts";

type Response = ChatMethods["response_url"];

/**
 * Answers a request to the response URL of an interaction. The request needs no token:
 * https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
 */
export function respond(state: State, url: string, body: unknown): ApiResponse {
	try {
		const interaction = state.interactions.find(({ responseUrl }) => responseUrl === url);
		if (!interaction) throw new Refusal("invalid_url", { status: 404 });
		if (state.now() - interaction.createdAt > state.settings.responseMs)
			throw new Refusal("expired_url", { status: 404 });
		if (interaction.responses >= state.settings.responseUses) throw new Refusal("used_url", { status: 404 });
		const faults = Contract.load().faults("response_url", body);
		if (faults.length > 0) {
			state.violations.push(...faults.map((fault) => `response_url${fault}`));
			throw faultyArguments(faults);
		}
		// The cast is safe because the contract has checked the body.
		carryOut(state, interaction, body as Response);
		interaction.responses += 1;
		return { status: 200, headers: {}, body: { ok: true } };
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return refused(error);
	}
}

/** Applies a response from a response URL or from the acknowledgement of a command. */
export function carryOut(state: State, interaction: InteractionRecord, response: Response): void {
	const { channel, message, user } = interaction;
	if (!channel) throw new Refusal("invalid_url", { status: 404 });
	if (response.delete_original && message) {
		removeMessage(state, message);
		return;
	}
	const contents = readContents(state, response);
	// Without `replace_original`, a response to a press replaces the original message if the response has no
	// `response_type`.
	const replaces =
		response.replace_original ?? (interaction.kind === "press" && response.response_type === undefined);
	if (replaces && message) {
		changeMessage(state, message, { blocks: [], ...contents }, { by: state.app.user, isEdit: false });
		return;
	}
	const thread = response.thread_ts;
	const threadTs = thread === undefined ? undefined : threadOf(state, channel, thread);
	const answer = addMessage(state, {
		...{ author: state.app.user, channel, ...contents, answers: interaction },
		...(threadTs !== undefined && { threadTs }),
		...(response.response_type !== "in_channel" && { onlyFor: user }),
	});
	announce(state, answer);
}
