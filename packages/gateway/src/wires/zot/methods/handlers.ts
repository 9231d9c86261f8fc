import { defined, ParleyError } from "@parley/base";
import { zotErrorTexts } from "../../../texts/wires/zot.ts";
import type { Agent } from "../agent.ts";
import { encodeZotMessage } from "../codec.ts";
import { type Block, type Command, type CommandType, encodedBytes } from "../schema.ts";
import type { Approvals } from "./approvals.ts";
import type { Prompts } from "./prompts.ts";

/** Data of a successful response, or "later" if the command is answered when its work starts. */
export type Outcome = object | undefined | "later";

/** Handlers by command. A command without a handler fails to compile. */
export type Handlers = {
	readonly [Type in CommandType]: (command: Extract<Command, { type: Type }>) => Outcome | Promise<Outcome>;
};

export function createHandlers({ agent, prompts, approvals }: Parts): Handlers {
	return {
		hello: () => undefined,
		ping: () => ({ pong: true }),
		prompt: (command) => {
			if (!/[^\s\0]/.test(command.message ?? "") && (command.images ?? []).length === 0) {
				throw new ParleyError(zotErrorTexts.emptyMessage, {
					code: "invalid_argument",
				});
			}
			prompts.add(command);
			return "later";
		},
		compact: (command) => {
			prompts.add(command);
			return "later";
		},
		abort: () => {
			prompts.abort();
			return undefined;
		},
		queue: () => prompts.list(),
		cancel_queued: ({ request_id }) => {
			prompts.cancelWaiting(request_id);
			return undefined;
		},
		get_state: () => stateOf(agent, prompts),
		get_messages: async () => fitMessages((await agent.transcript()).map(encodeZotMessage)),
		clear: async () => {
			await agent.clear();
			return undefined;
		},
		set_model: async ({ model }) => ({ model: await agent.setModel(model) }),
		set_reasoning: ({ reasoning }) => {
			agent.settings.reasoning = reasoning;
			return { reasoning };
		},
		get_models: () => ({ models: agent.models().map(describeModel) }),
		approve: async (command) => {
			await approvals.answer(command);
			return undefined;
		},
	};
}

interface Parts {
	readonly agent: Agent;
	readonly prompts: Prompts;
	readonly approvals: Approvals;
}

async function stateOf(agent: Agent, { busy, usage }: Prompts): Promise<object> {
	const { provider, cwd, reasoning = null } = agent.settings;
	const message_count = await agent.messageCount();
	return { provider, model: agent.model, cwd, message_count, busy, usage, reasoning };
}

function describeModel(model: ReturnType<Agent["models"]>[number]): object {
	const { id, provider, contextWindow: context_window, maxOutput: max_output, reasoning, prices } = model;
	return defined({
		id,
		provider,
		context_window,
		max_output,
		reasoning: reasoning !== "none",
		usd_per_million: prices && {
			input: prices.input,
			output: prices.output,
			cache_read: prices.cacheRead,
			cache_write: prices.cacheWrite,
		},
	});
}

/**
 * Maximum number of bytes of the messages in one frame. The frame must stay below 16 MiB, which is the most that
 * clients accept for one line.
 */
const maxBytes = 15 * 1024 * 1024;

interface Shown {
	readonly role: string;
	readonly content: readonly Block[];
	readonly time: string;
}

/** Returns the newest messages that fit into one frame. `omitted` counts the older messages, if any. */
export function fitMessages(messages: readonly Shown[]): {
	readonly messages: readonly Shown[];
	readonly omitted?: number;
} {
	let left = maxBytes;
	let from = messages.length;
	for (; from > 0; from--) {
		const message = messages[from - 1];
		left -= encodedBytes(message) + 1;
		if (left < 0) break;
	}
	return from === 0 ? { messages } : { messages: messages.slice(from), omitted: from };
}
