import { ParleyError } from "@parley/base";
import {
	type ConnectorStart,
	type ContextQuery,
	Controls,
	Malformed,
	type PlatformSide,
	type RunningConnector,
	type RunOptions,
	runConnector,
	type SideOpening,
	type StartedParts,
} from "@parley/connector";
import { ActiveChannels } from "./catch-up/active-channels.ts";
import { CatchUp, type CatchUpParts } from "./catch-up/catch-up.ts";
import { createSlackPort, type SlackTransport } from "./client/slack-client.ts";
import { type EventHandlers, EventReceiver } from "./intake/event-receiver.ts";
import { openIntake } from "./intake/open-intake.ts";
import { postedThreads } from "./intake/own-threads.ts";
import { readPersonRights } from "./intake/person-rights.ts";
import { readableRooms } from "./intake/readable.ts";
import { readRoomMessages } from "./intake/room-messages.ts";
import { Interactions } from "./interactions/interactions.ts";
import { createSlackPlatform } from "./slack-platform.ts";
import { connectionTexts } from "./texts/connection.ts";
import type { OwnAccount, SlackLink, SlackPort } from "./vocabulary/slack-port.ts";

export interface RunSlackOptions extends RunOptions {
	/** Bot token, `xoxb-…`. */
	readonly botToken: string;
	/** App token, `xapp-…`. With it, the connector uses Socket Mode. */
	readonly appToken?: string | undefined;
	/** Secret that verifies requests at `listen`. Required without an app token. */
	readonly signingSecret?: string | undefined;
	readonly listen?: { readonly host: string; readonly port: number } | undefined;
	/** URL of the API. Default: `https://slack.com/api/`. */
	readonly apiUrl?: string | undefined;
	/** Whether the server at `apiUrl` has no rate limits. */
	readonly unlimited?: boolean | undefined;
	/** Port to Slack. Default: the real client. */
	readonly port?: SlackPort;
}

type Ready = Extract<SlackLink, { readonly state: "ready" }>;
type Parts = StartedParts & EventHandlers & { readonly posted: CatchUpParts["posted"] };

const dayMs = 24 * 3_600_000;

/**
 * Runs the connector for Slack; see `runConnector`. Without `port`, also rejects if there is neither an app token,
 * nor a signing secret with an address to listen on.
 */
export async function runSlack(options: RunSlackOptions): Promise<RunningConnector<Ready>> {
	const { botToken, apiUrl, clock, chance, log } = options;
	const port =
		options.port ??
		createSlackPort({ botToken, apiUrl, clock, chance, log, transport: transportOf(options) });
	const open = (opening: SideOpening<Parts>) => openSide({ ...options, port }, opening);
	return runConnector({ name: "slack", title: "Slack", open }, options);
}

type PortedOptions = RunSlackOptions & { readonly port: SlackPort };

async function openSide(
	options: PortedOptions,
	{ storedValue, started: handlers, signal }: SideOpening<Parts>,
): Promise<PlatformSide<Ready, Parts>> {
	const { port, clock, log } = options;
	const places = await ActiveChannels.open({ store: storedValue("places"), clock, log });
	const receiver = new EventReceiver({
		handlers,
		log,
		passed: (inbound) => places.note(inbound),
		lost: (body) => catchUp.lost(body),
	});
	const catchUp = await CatchUp.open({
		port,
		places,
		alive: storedValue("alive"),
		begun: storedValue("begun"),
		clock,
		log,
		posted: async () => (await handlers).posted(),
		receive: (body, isLast, seenBefore) => receiver.event(body, isLast, seenBefore),
	});
	return {
		get behind() {
			return catchUp.behind;
		},
		connect(link) {
			const receive: Parameters<SlackPort["connect"]>[0]["receive"] = (envelope) => {
				catchUp.noteEvent();
				return receiver.receive(envelope);
			};
			return port.connect({ receive, link, silent: () => catchUp.silent() });
		},
		linked(link) {
			if (!signal.aborted) catchUp.linked(link);
			if (link.state !== "ready") return;
			log.info("Slack is ready", { team: link.account.team, name: link.account.name });
		},
		start: ({ account }, start) => startParts(options, account, { start, signal }),
		readMissed: (knownRooms) => catchUp.begin(knownRooms),
		async stop() {
			// Slack redelivers unacknowledged events to the next process.
			await Promise.all([catchUp.stop(), receiver.stop(), port.close()]);
		},
		close: () => places.close(),
	};
}

async function startParts(
	{ botToken, port, unlimited, clock, log }: PortedOptions,
	self: OwnAccount,
	{ start, signal }: { readonly start: ConnectorStart; readonly signal: AbortSignal },
): Promise<Parts> {
	const [controls, malformed] = [new Controls(botToken), new Malformed("Slack", log)];
	const reading = openIntake({ self, port, store: start.store, malformed, clock, log });
	const nameOf = (id: string): string | undefined => reading.people.known(id);
	const readName = (id: string): Promise<unknown> => reading.people.nameOf(id);
	const platform = {
		...createSlackPlatform({ ...start, port, self, unlimited, nameOf, readName, signal, clock, log }),
		readable: readableRooms({ ...reading, self, port, clock }),
		readContext: (query: ContextQuery) => readRoomMessages({ ...reading, self, port, clock }, query),
	};
	const connector = await start.connector(platform, controls);
	const accept: EventHandlers["accept"] = async (inbound, key) => {
		await connector.accept(inbound, key);
		// The status line is removed in the background, because Slack waits for the acknowledgement.
		if (inbound.type === "stop") void platform.surface.stopped(key.conversation);
	};
	const interactions = new Interactions({
		...reading,
		self,
		port,
		controls,
		malformed,
		accept,
		form: (pressed) => connector.form(pressed),
		clock,
		log,
	});
	const posted = () => postedThreads(start.store, clock.now() - dayMs);
	return {
		connector,
		interactions,
		accept,
		posted,
		intake: reading.intake,
		outdated: reading.outdated,
		malformed: () => malformed.count,
		personRights: (reader) => readPersonRights({ ...reading, self, port }, reader),
	};
}

function transportOf({ appToken, signingSecret, listen }: RunSlackOptions): SlackTransport {
	if (appToken !== undefined) return { type: "sockets", appToken };
	if (signingSecret !== undefined && listen) return { type: "http", signingSecret, listen };
	throw new ParleyError(connectionTexts.noTransport, {
		code: "invalid_argument",
	});
}
