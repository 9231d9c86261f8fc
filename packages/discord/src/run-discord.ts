import {
	type ConnectorDatabase,
	type ConnectorStart,
	Controls,
	commandTable,
	type PlatformSide,
	type RunningConnector,
	type RunOptions,
	runConnector,
	type SideOpening,
	type StartedParts,
} from "@parley/connector";
import type { MarkStore, Marks } from "./catch-up/high-water.ts";
import type { AliveStore } from "./catch-up/last-alive.ts";
import { type BirthStore, Listening } from "./catch-up/listening.ts";
import type { Takers } from "./catch-up/taking.ts";
import { createDiscordPort } from "./client/discord-client.ts";
import type { GatewaySession, SessionStore } from "./client/session-keeper.ts";
import { type CommandMemory, type InstalledState, keepCommands } from "./commands/command-sync.ts";
import { asKitCommand } from "./commands/to-discord.ts";
import { createDiscordPlatform } from "./discord-platform.ts";
import type { AudienceStore, KeptAudiences } from "./intake/audiences.ts";
import { Channels } from "./intake/channels.ts";
import { Intake } from "./intake/intake.ts";
import { personNow } from "./intake/person-now.ts";
import { Interactions } from "./interactions/interactions.ts";
import { Tickets } from "./surface/tickets.ts";
import type { DiscordLink, DiscordPort } from "./vocabulary/discord-port.ts";

/** What a connector for Discord is made of. */
export interface RunDiscordOptions extends RunOptions {
	/** The bot's. */
	readonly token: string;
	/** Another `https://discord.com/api`. */
	readonly apiUrl?: string | undefined;
	/** Another `https://cdn.discordapp.com`; that one stays allowed. */
	readonly cdnUrl?: string | undefined;
	/** What Discord allows this bot in a second, over all routes; 50 unless told, which it allows every bot. */
	readonly requestsPerSecond?: number | undefined;
	/** Discord itself unless told. */
	readonly port?: DiscordPort;
}

type Ready = Extract<DiscordLink, { readonly state: "ready" }>;
type Parts = StartedParts & Takers;

/** Runs the connector for Discord; see `runConnector`. */
export function runDiscord(options: RunDiscordOptions): Promise<RunningConnector<Ready>> {
	const open = (opening: SideOpening<Parts>) => openSide(options, opening);
	return runConnector({ name: "discord", title: "Discord", open }, options);
}

async function openSide(
	options: RunDiscordOptions,
	{ store, kept, started: takers, signal }: SideOpening<Parts>,
): Promise<PlatformSide<Ready, Parts>> {
	const { token, apiUrl, cdnUrl, requestsPerSecond, clock, log } = options;
	const database = { store, ...keptOfDiscord(kept) };
	const { sessions, audiences, commands: memory } = database;
	const port =
		options.port ?? createDiscordPort({ token, apiUrl, cdnUrl, requestsPerSecond, clock, log, sessions });
	const listening = await Listening.open({ port, database, takers, clock, log });
	return {
		get behind() {
			return listening.behind;
		},
		connect: (link) => port.connect({ dispatch: (event) => listening.dispatch(event), link }),
		linked(link) {
			listening.linked(link);
			if (link.state !== "ready") return;
			log.info("Discord is ready", { user: link.user, resumed: link.resumed });
		},
		start: (ready, start) => startParts(options, { port, audiences }, { ready, start }),
		bringCommands: ({ application }) =>
			keepCommands({ port, application, shapes: commandTable, memory }, { clock, log, signal }),
		readMissed: (heardRooms) => listening.begin(heardRooms),
		stop: () => listening.stop(),
		async close() {
			// What was not taken comes again: only what was is behind the session that this keeps.
			await port.close();
			await listening.close();
		},
	};
}

async function startParts(
	{ token, requestsPerSecond, clock, log }: RunDiscordOptions,
	{ port, audiences }: { readonly port: DiscordPort; readonly audiences: AudienceStore },
	{ ready, start }: { readonly ready: Ready; readonly start: ConnectorStart },
): Promise<Parts> {
	const self = { user: ready.user, application: ready.application };
	const [controls, tickets, channels] = [new Controls(token), new Tickets(), new Channels({ port, clock })];
	const platform = createDiscordPlatform({ ...start, port, self, tickets, requestsPerSecond, clock, log });
	const connector = await start.connector(platform, controls);
	const accept: Takers["accept"] = (arrival, key) => connector.accept(asKitCommand(arrival), key);
	const intake = new Intake({ self, port, channels, audiences, clock, log });
	const interactions = new Interactions({
		self,
		port,
		channels,
		controls,
		tickets,
		clock,
		log,
		connector: { accept, complete: (asked) => connector.complete(asked) },
	});
	const malformed = (): number => intake.malformed + interactions.malformed;
	return {
		connector,
		intake,
		interactions,
		accept,
		malformed,
		personNow: (asked, signal) => personNow({ port, audiences: intake.audiences, clock }, asked, signal),
	};
}

/** What is kept of Discord from one process to the next: nothing that could not be found out again. */
interface KeptOfDiscord {
	readonly sessions: SessionStore;
	readonly marks: MarkStore;
	readonly alive: AliveStore;
	readonly birth: BirthStore;
	readonly audiences: AudienceStore;
	readonly commands: CommandMemory;
}

/** Each by its name in the connector's database, which stays the same over versions. */
export function keptOfDiscord(kept: ConnectorDatabase["kept"]): KeptOfDiscord {
	const audiencesOf = (guild: string) => kept<KeptAudiences>(`audiences:${guild}`);
	return {
		sessions: kept<GatewaySession>("session"),
		marks: kept<Marks>("marks"),
		alive: kept<number>("alive"),
		birth: kept<number>("birth"),
		audiences: {
			load: (guild) => audiencesOf(guild).load(),
			save: (guild, audiences) => audiencesOf(guild).save(audiences),
		},
		commands: kept<InstalledState>("commands"),
	};
}
