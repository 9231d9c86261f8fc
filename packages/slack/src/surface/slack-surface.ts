import {
	type SurfaceParts as CommonParts,
	composeSurface,
	DeliveryError,
	type OutboxRow,
	type Surface,
} from "@parley/connector";
import { deliveryTexts } from "../texts/delivery.ts";
import { addressOfConversation } from "../vocabulary/conversation.ts";
import { limits } from "../vocabulary/limits.ts";
import { linkToPost } from "../vocabulary/links.ts";
import type { OwnAccount, SlackPort } from "../vocabulary/slack-port.ts";
import { Caller } from "./caller.ts";
import { History } from "./history.ts";
import { publishHome } from "./home.ts";
import { PostTargets } from "./post-targets.ts";
import { Posts } from "./posts.ts";
import { Opened, PrivateAnswers } from "./private-answers.ts";
import { everything, RateLimits } from "./rate-limits.ts";
import { SharedFiles } from "./shared-files.ts";
import { StatusLine } from "./status-line.ts";
import { Streams } from "./streams.ts";
import { Suggestions } from "./suggestions.ts";
import { showTitle } from "./titles.ts";

export interface SurfaceParts extends CommonParts {
	readonly port: SlackPort;
	readonly self: OwnAccount;
	/** Whether the server has no rate limits. */
	readonly unlimited?: boolean | undefined;
	/** Aborts when the connector stops. Optional requests are then not retried. */
	readonly signal?: AbortSignal;
}

/** Slack's surface, with methods for the status line and suggestions. */
export interface SlackSurface extends Surface {
	/** Removes the status line of a conversation after Slack's stop button. Never rejects. */
	stopped(conversation: string): Promise<void>;
	/** Shows suggested prompts; see `ChatPlatform.suggest`. */
	suggest(channel: string, prompts: readonly string[]): Promise<void>;
}

/**
 * Returns Slack's surface for the outbox. `dedupeWindowMs` is 0, because Slack has no idempotency key for posts:
 * https://github.com/slackapi/slack-api-specs/issues/10
 */
export function slackSurface(parts: SurfaceParts): SlackSurface {
	const { port, self, unlimited, clock, log, signal } = parts;
	const rateLimits = new RateLimits(clock, { unlimited });
	const caller = new Caller({ port, limits: rateLimits, clock, log });
	const history = new History(caller, self);
	const files = new SharedFiles({ caller, history });
	const status = new StatusLine({ caller, clock, log, signal });
	const answers = new PrivateAnswers({ caller, files, clock, log });
	const surface = composeSurface(parts, limits.fileBytes, ({ cards, read }) => {
		const places = new PostTargets(cards);
		const streams = new Streams({ caller, clock, log });
		const posts = new Posts({ caller, places, history, files, streams, log, read });
		return {
			post: {
				async create(row, post) {
					const receipt = await posts.create(row, post);
					// The post succeeds even if the status line cannot be changed.
					void status.posted(row.conversation, row.lane);
					return receipt;
				},
				async edit(row, post, target) {
					const receipt = await posts.edit(row, post, target);
					// The last part of a growing answer is an edit.
					if (row.lane === "final" || row.lane === "error") void status.posted(row.conversation, row.lane);
					return receipt;
				},
				remove: (row, target) => posts.remove(row, target),
				find: (row, post) => posts.find(row, post),
			},
			notices: {
				direct: async (row, person) => {
					const { body } = await caller.ask({ method: "conversations.open" }, { users: person });
					const opened = Opened.safeParse(body);
					if (opened.success) return `${tenantOf(row)}/${opened.data.channel.id}`;
					throw new DeliveryError(deliveryTexts.noConversation, { kind: "unknown" });
				},
				channel: (row, channel) => `${tenantOf(row)}/${channel}`,
			},
			linkTo: (room, post) => linkToPost(self.url, room, post),
			thread: {
				send: async (row, { card }) => ({ remote: await places.messageOf(row, card) }),
				find: async (row, { card }) => ({ remote: await places.messageOf(row, card) }),
			},
			private: {
				send: (row, answer) => answers.answer(row, answer),
				find: (_row, answer) => answers.find(answer),
			},
			title: (row, { title }) => showTitle(caller, row, title),
			home: (row, home) => publishHome(caller, row, home),
			typing: (conversation, doing) => status.show(conversation, doing),
			suspended: (conversation) => status.suspend(conversation),
			scopes({ conversation, lane, edits }) {
				const channel = addressOfConversation(conversation)?.channel;
				if (channel === undefined) return [conversation, everything];
				const method =
					lane === "typing" ? "agents.sessions.setStatus" : edits ? "chat.update" : "chat.postMessage";
				return [conversation, ...rateLimits.scopes({ method, channel, lane })];
			},
			dedupeWindowMs: () => 0,
		};
	});
	const suggestions = new Suggestions(caller, clock);
	return {
		...surface,
		stopped: (conversation) => status.end(conversation),
		suggest: (channel, prompts) => suggestions.show(channel, prompts),
	};
}

function tenantOf({ conversation }: OutboxRow): string {
	return addressOfConversation(conversation)?.tenant ?? "";
}

/** Limits of Slack for `ChatPlatform.limits`. `post` is below Slack's limit, because blocks add text. */
export const postLimits = {
	post: 11_000,
	postsPerAnswer: 6,
	buttonLabel: limits.buttonText,
	controlsPerRow: 5,
	/** Maximum rows of controls. Each row is a block, and the text of each tool call also needs blocks. */
	controlRows: 10,
	options: limits.options,
	optionText: limits.optionText,
	threadName: 200,
	/** Limits of a form. Slack allows more fields, but for many arguments, one field with JSON is shorter. */
	form: { fields: 10, name: limits.actionId - 2, text: limits.fieldText },
};
