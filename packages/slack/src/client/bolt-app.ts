import type { Logger } from "@parley/base";
import { App, type Context, type Receiver, type Logger as SlackLogger } from "@slack/bolt";
import type { OwnAccount, SlackEnvelope, SlackReply } from "../vocabulary/slack-port.ts";
import type { Deliver, Transport } from "./transport/transport.ts";

export interface ReceiverParts {
	readonly transport: (deliver: Deliver) => Transport;
	/** Receives a payload that Bolt cannot read, or for which it has no listener. */
	readonly unread: Deliver;
	readonly log: Logger;
}

/**
 * Receiver for Bolt: https://docs.slack.dev/tools/bolt-js/concepts/receiver. The transport acknowledges an event
 * only when the event's listeners have ended, although Bolt acknowledges it earlier.
 */
export class SlackReceiver implements Receiver {
	readonly #transport: Transport;
	readonly #parts: ReceiverParts;
	#app: App | undefined;

	constructor(parts: ReceiverParts) {
		this.#parts = parts;
		this.#transport = parts.transport((body, attempt) => this.#deliver(body, attempt));
	}

	init(app: App): void {
		this.#app = app;
	}

	start(): Promise<unknown> {
		return this.#transport.start();
	}

	stop(): Promise<void> {
		return this.#transport.close();
	}

	posted(): void {
		this.#transport.posted();
	}

	async #deliver(body: Readonly<Record<string, unknown>>, attempt: number): Promise<SlackReply> {
		const { unread, log } = this.#parts;
		const delivery = new Delivery();
		const ack = async (reply?: SlackReply): Promise<void> => {
			delivery.reply = reply;
		};
		try {
			await this.#app?.processEvent({ body, retryNum: attempt, ack, customProperties: { delivery } });
		} catch (error) {
			if (delivery.isHandled) throw error;
			log.debug("Bolt cannot read a payload from Slack", { error });
		}
		return delivery.isHandled ? delivery.reply : unread(body, attempt);
	}
}

/** State of a payload, which Bolt passes from the receiver to the listeners. */
class Delivery {
	isHandled = false;
	reply: SlackReply;
}

export interface BoltAppParts {
	readonly account: OwnAccount;
	readonly receiver: Receiver;
	readonly logger: SlackLogger;
	readonly receive: (envelope: SlackEnvelope) => Promise<SlackReply>;
	/** Receives `app_uninstalled` and `tokens_revoked`, events about the installation of the app. */
	readonly uninstalled: (body: object) => void;
}

const otherEvents = /^(?!(?:app_uninstalled|tokens_revoked)$)/;
const anyCommand = /^/;

/**
 * Creates the Bolt app with a listener for each kind of payload that the connector handles. Bolt gets no token, so
 * its listeners cannot post: only the connector's own client may post.
 */
export function boltApp({ account, receiver, logger, receive, uninstalled }: BoltAppParts): App {
	const app = new App({
		receiver,
		logger,
		authorize: async () => ({ botId: account.bot, botUserId: account.user }),
		// Events about the bot's own posts are needed, because they prove that events arrive.
		ignoreSelf: false,
		convoStore: false,
		attachFunctionToken: false,
	});
	const handle = async (
		type: SlackEnvelope["type"],
		{ body, context, ack }: ListenerArguments,
	): Promise<void> => {
		const delivery = deliveryOf(context);
		delivery.isHandled = true;
		const reply = await receive({ type, body, attempt: context.retryNum ?? 0 });
		// The cast is safe because each kind of payload gets a reply that Slack documents for it.
		if (ack) await ack(reply as never);
		else delivery.reply = reply;
	};
	const left = async ({ body, context }: ListenerArguments): Promise<void> => {
		deliveryOf(context).isHandled = true;
		uninstalled(body);
	};
	app.event("app_uninstalled", left);
	app.event("tokens_revoked", left);
	app.event(otherEvents, (given) => handle("event", given));
	app.command(anyCommand, (given) => handle("command", given));
	app.action({ type: "block_actions" }, (given) => handle("action", given));
	app.view({ type: "view_submission" }, (given) => handle("view", given));
	app.shortcut({ type: "message_action" }, (given) => handle("shortcut", given));
	app.error(async (error) => {
		throw error;
	});
	return app;
}

interface ListenerArguments {
	readonly body: object;
	readonly context: Context;
	/** Sends the reply. Undefined for an event, which has no reply. */
	readonly ack?: ((reply: never) => Promise<void>) | undefined;
}

function deliveryOf(context: Context): Delivery {
	const delivery: unknown = context["delivery"];
	if (delivery instanceof Delivery) return delivery;
	throw new TypeError("Bolt received a payload that the connector's receiver did not deliver");
}
