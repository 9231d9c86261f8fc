import {
	type ChatPlatform,
	type ConnectorDatabase,
	type ConnectorStart,
	Controls,
	commandTable,
	type PlatformSide,
	type RunningConnector,
	type RunOptions,
	readAttachment,
	runConnector,
	type SideOpening,
	type StartedParts,
} from "@parley/connector";
import type { EventHandlers } from "./catch-up/event-receiver.ts";
import type { CursorStore, Cursors } from "./catch-up/high-water.ts";
import type { AliveStore } from "./catch-up/last-alive.ts";
import { type BirthStore, Listening } from "./catch-up/listening.ts";
import { createDiscordPort } from "./client/discord-client.ts";
import { HealthPresence } from "./client/health-presence.ts";
import type { GatewaySession, SessionStore } from "./client/resumable-session.ts";
import { type CommandMemory, type InstalledState, startCommandSync } from "./commands/command-sync.ts";
import { asKitCommand } from "./commands/to-discord.ts";
import { discordDialect, momentMarkdown, personMarkdown, roleMarkdown } from "./dialect.ts";
import type { AudienceStore, StoredAudiences } from "./intake/audiences.ts";
import { Channels } from "./intake/channels.ts";
import { Intake } from "./intake/intake.ts";
import { readPersonRights } from "./intake/person-rights.ts";
import { readRoomMessages } from "./intake/room-messages.ts";
import { mayForkRoom, maySeeThread } from "./intake/thread-members.ts";
import { conversationOf } from "./intake/translated.ts";
import { Interactions } from "./interactions/interactions.ts";
import { discordSurface, postLimits, type SurfaceParts } from "./surface/discord-surface.ts";
import { openMentionThread } from "./surface/mention-thread.ts";
import { Tickets } from "./surface/private-answers.ts";
import type { ThreadNameStore, ThreadNames } from "./surface/thread-names.ts";
import type { DiscordLink, DiscordPort } from "./vocabulary/discord-port.ts";
import { directTenant, linkToRoom } from "./vocabulary/links.ts";
import { momentOf } from "./vocabulary/snowflake.ts";

export interface RunDiscordOptions extends RunOptions {
	readonly token: string;
	/** URL of the API. Default: `https://discord.com/api`. */
	readonly apiUrl?: string | undefined;
	/** URL with a further origin from which downloads are allowed, in addition to Discord's CDN. */
	readonly cdnUrl?: string | undefined;
	/** Requests per second that Discord allows this bot on all routes together. Default: 50, the limit of an ordinary bot. */
	readonly requestsPerSecond?: number | undefined;
	/** Replacement for the connection to Discord in tests. */
	readonly port?: DiscordPort;
}

type Ready = Extract<DiscordLink, { readonly state: "ready" }>;
type Parts = StartedParts & EventHandlers;

/** Runs the connector for Discord; see `runConnector`. */
export function runDiscord(options: RunDiscordOptions): Promise<RunningConnector<Ready>> {
	const open = (opening: SideOpening<Parts>) => openSide(options, opening);
	return runConnector({ name: "discord", title: "Discord", open }, options);
}

async function openSide(
	options: RunDiscordOptions,
	{ store, storedValue, started: handlers, signal }: SideOpening<Parts>,
): Promise<PlatformSide<Ready, Parts>> {
	const { token, apiUrl, cdnUrl, requestsPerSecond, clock, log } = options;
	const database = { store, ...storedStateOf(storedValue) };
	const { sessions, audiences, commands: memory, names } = database;
	const port =
		options.port ?? createDiscordPort({ token, apiUrl, cdnUrl, requestsPerSecond, clock, log, sessions });
	const presence = new HealthPresence(port, clock);
	const listening = await Listening.open({ port, database, handlers, clock, log });
	return {
		get behind() {
			return listening.behind;
		},
		connect: (link) => port.connect({ dispatch: (event) => listening.dispatch(event), link }),
		linked(link) {
			listening.linked(link);
			presence.linked(link);
			if (link.state !== "ready") return;
			log.info("Discord is ready", { user: link.user, resumed: link.resumed });
		},
		start: (ready, start) => startParts(options, { port, audiences, names }, { ready, start, signal }),
		syncCommands: ({ application }) =>
			startCommandSync({ port, application, shapes: commandTable, memory }, { clock, log, signal }),
		readMissed: (knownRooms) => listening.begin(knownRooms),
		showHealth: (health) => presence.show(health),
		stop: () => listening.stop(),
		async close() {
			presence.stop();
			// The session is stored at a position before the first event that is not durable, so that Discord sends
			// this event again.
			await port.close();
			await listening.close();
		},
	};
}

async function startParts(
	{ token, requestsPerSecond, clock, log }: RunDiscordOptions,
	{
		port,
		audiences,
		names,
	}: { readonly port: DiscordPort; readonly audiences: AudienceStore; readonly names: ThreadNameStore },
	{
		ready,
		start,
		signal,
	}: { readonly ready: Ready; readonly start: ConnectorStart; readonly signal: AbortSignal },
): Promise<Parts> {
	const self = { user: ready.user, application: ready.application };
	const [controls, tickets, channels] = [new Controls(token), new Tickets(), new Channels({ port, clock })];
	const intake = new Intake({ self, port, channels, audiences, clock, log });
	const reading = { self, port, channels, audiences: intake.audiences, clock };
	const platform: ChatPlatform = {
		...createDiscordPlatform({ ...start, port, self, names, tickets, requestsPerSecond, clock, log }),
		readContext: (query, over) => readRoomMessages(reading, query, over),
		openThread: (room, thread) => openMentionThread({ port, names, log }, room, thread),
		mayFork: (room) => mayForkRoom(channels, room, signal),
		maySee: ({ id: user }, { thread }) => maySeeThread({ port, channels }, { thread, user }, signal),
	};
	const connector = await start.connector(platform, controls);
	const accept: EventHandlers["accept"] = (inbound, key) => connector.accept(asKitCommand(inbound), key);
	const interactions = new Interactions({
		self,
		port,
		channels,
		controls,
		tickets,
		clock,
		log,
		connector: {
			accept,
			complete: (input) => connector.complete(input),
			form: (pressed) => connector.form(pressed),
		},
	});
	const malformed = (): number => intake.malformed + interactions.malformed;
	return {
		connector,
		intake,
		interactions,
		accept,
		malformed,
		personRights: (person, signal) =>
			readPersonRights({ port, audiences: intake.audiences, clock }, person, signal),
	};
}

interface StoredState {
	readonly sessions: SessionStore;
	readonly cursors: CursorStore;
	readonly alive: AliveStore;
	readonly birth: BirthStore;
	readonly audiences: AudienceStore;
	readonly commands: CommandMemory;
	readonly names: ThreadNameStore;
}

/**
 * Retention of a thread's names after a change, in milliseconds. Without the names, the connector does not rename the
 * thread.
 */
const namesMs = 90 * 24 * 3_600_000;

/** Returns the stores for Discord in the connector's database. Later versions must use the same names for them. */
export function storedStateOf(storedValue: ConnectorDatabase["storedValue"]): StoredState {
	const namesOf = (thread: string) => storedValue<ThreadNames>(`names:${thread}`);
	const audiencesOf = (guild: string) => storedValue<StoredAudiences>(`audiences:${guild}`);
	return {
		sessions: storedValue<GatewaySession>("session"),
		cursors: storedValue<Cursors>("marks"),
		alive: storedValue<number>("alive"),
		birth: storedValue<number>("birth"),
		audiences: {
			load: (guild) => audiencesOf(guild).load(),
			save: (guild, audiences) => audiencesOf(guild).save(audiences),
		},
		commands: storedValue<InstalledState>("commands"),
		names: {
			load: (thread) => namesOf(thread).load(),
			save: (thread, names) => namesOf(thread).save(names, namesMs),
		},
	};
}

export function createDiscordPlatform(parts: SurfaceParts): ChatPlatform {
	return {
		name: "discord",
		dialect: discordDialect,
		limits: postLimits,
		surface: discordSurface(parts),
		reacts: true,
		titles: "own",
		explainsDirectly: true,
		conversation: conversationOf,
		// Threads belong to channels of servers: https://docs.discord.com/developers/topics/threads
		hasThreads: ({ tenant }) => tenant !== directTenant,
		moment: momentMarkdown,
		postedAt: momentOf,
		linkTo: linkToRoom,
		person: personMarkdown,
		role: roleMarkdown,
		command: (name) => `/${name}`,
		read: (attachment, signal) => readAttachment(parts.port, attachment, signal),
	};
}
