import { App, type Receiver, type Logger as SlackLogger } from "@slack/bolt";
import type { WebClientOptions } from "@slack/web-api";
import type { OwnAccount, SlackEnvelope, SlackReply } from "../slack-port.ts";

/** Hands something that Slack sent to bolt, and resolves with what is to be sent back when it is taken; rejects where it is not. */
export type Offer = (body: Readonly<Record<string, unknown>>, attempt: number) => Promise<SlackReply>;

export interface BoltAppParts {
	readonly token: string;
	readonly account: OwnAccount;
	readonly client: WebClientOptions;
	readonly logger: SlackLogger;
	readonly take: (envelope: SlackEnvelope) => Promise<SlackReply>;
}

/**
 * Bolt with one listener for everything. Bolt itself acknowledges events before anybody has seen them, so that its own
 * acknowledgement is kept from Slack: what `offer` resolves with is the true one. What bolt does not know, or stumbles
 * over, is taken as it is: whoever takes it counts it, and Slack need not send it again.
 */
export function boltApp({ token, account, client, logger, take }: BoltAppParts): Offer {
	const app = new App({
		...{ token, botId: account.bot, botUserId: account.user, tokenVerificationEnabled: false },
		...{ receiver: noReceiver, ignoreSelf: false, convoStore: false, attachFunctionToken: false },
		...{ logger, clientOptions: client },
	});
	const replies = new WeakMap<object, SlackReply>();
	const reached = new WeakSet<object>();
	app.use(async ({ body, context }) => {
		reached.add(body);
		const reply = await take({ type: typeOf(body), body, attempt: context.retryNum ?? 0 });
		replies.set(body, reply);
	});
	app.error(async (error) => {
		throw error;
	});
	return async (body, attempt) => {
		const event = { body, retryNum: attempt, ack: async () => undefined };
		try {
			await app.processEvent(event);
		} catch (error) {
			if (reached.has(body)) throw error;
			logger.debug("bolt cannot read what Slack sent", error);
		}
		return reached.has(body) ? replies.get(body) : take({ type: typeOf(body), body, attempt });
	};
}

/** What comes is offered to bolt by whoever received it. */
const noReceiver: Receiver = {
	init: () => undefined,
	start: () => Promise.resolve(),
	stop: () => Promise.resolve(),
};

function typeOf(body: object): SlackEnvelope["type"] {
	if ("event" in body) return "event";
	return "command" in body ? "command" : "interactive";
}
