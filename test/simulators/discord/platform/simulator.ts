import { type Clock, type Ids, systemClock } from "@parley/base";
import { seededIds } from "@parley/base/testing";
import type { APIApplicationCommand } from "discord-api-types/v10";
import { Gateway } from "../gateway/gateway.ts";
import { Channel } from "../people/channel.ts";
import { Guild } from "../people/guild.ts";
import type { Person, PersonOptions } from "../people/person.ts";
import { type Shown, show } from "../people/shown.ts";
import { Network } from "../rest/network.ts";
import { RestApi } from "../rest/rest-api.ts";
import { addGuild, addUser } from "./guilds.ts";
import { privilegedIntents } from "./intents.ts";
import { offline, type PresenceRecord } from "./presence.ts";
import type { ChannelRecord, Ping, UserRecord } from "./records.ts";
import { defaultSettings, type SimulatorSettings } from "./settings.ts";
import { Snowflakes } from "./snowflakes.ts";
import { State } from "./state.ts";

export interface SimulatorOptions {
	readonly clock?: Clock;
	readonly seed?: number;
	readonly settings?: Partial<SimulatorSettings>;
	readonly app?: string;
	/** Intents that are enabled for the app. By default, all privileged intents. */
	readonly privileged?: number;
}

/**
 * Simulated Discord in one process, with guilds, channels, users, the REST API and the gateway. For the same
 * inputs, clock and seed, its behaviour is the same.
 */
export class Simulator {
	readonly clock: Clock;
	readonly state: State;
	readonly rest: RestApi;
	readonly network: Network;
	readonly gateway: Gateway;
	/** The guild that exists from the start. */
	readonly home: Guild;

	constructor(options: SimulatorOptions = {}) {
		this.clock = options.clock ?? systemClock;
		const ids = seededIds(options.seed ?? 1);
		const snowflakes = new Snowflakes(this.clock);
		const settings = { ...defaultSettings, ...options.settings };
		const app = appOf(snowflakes, ids, options);
		this.state = new State({ clock: this.clock, ids, snowflakes, settings, app: app.app });
		this.state.users.set(app.owner.id, app.owner);
		this.rest = new RestApi(this.state);
		this.network = new Network(this.state, this.rest);
		this.gateway = new Gateway(this.state);
		this.home = new Guild(this.state, addGuild(this.state, "Home", app.owner));
	}

	get token(): string {
		return this.state.app.token;
	}

	get mention(): string {
		return `<@${this.state.app.user.id}>`;
	}

	get bot(): UserRecord {
		return this.state.app.user;
	}

	guild(name: string): Guild {
		return new Guild(this.state, addGuild(this.state, name, addUser(this.state, `${name} owner`)));
	}

	channel(name: string): Channel {
		return this.home.channel(name);
	}

	member(name: string, options: PersonOptions = {}): Person {
		return this.home.member(name, options);
	}

	place(id: string): Channel {
		return new Channel(this.state, this.state.channel(id));
	}

	threads(): Channel[] {
		const threads = [...this.state.channels.values()].filter(({ thread }) => thread !== undefined);
		return threads.map((thread: ChannelRecord) => new Channel(this.state, thread));
	}

	/**
	 * Returns the posts of the app without their final text: responses that still show "thinking…", and posts for
	 * which `isDraft` returns true.
	 */
	unfinished(isDraft: (shown: Shown) => boolean = () => false): Shown[] {
		const { state } = this;
		const own = [...state.channels.values()]
			.flatMap(({ messages }) => messages)
			.filter((message) => message.author === state.app.user && !message.deleted);
		return own.map((message) => show(state, message)).filter((shown) => shown.thinking || isDraft(shown));
	}

	get presence(): PresenceRecord {
		return this.gateway.connections > 0 ? this.state.presence : offline;
	}

	commands(): APIApplicationCommand[] {
		return [...this.state.commands.values()].filter((command) => command.guild_id === undefined);
	}

	/** Returns the users and roles that posts of the app would have notified. */
	get pings(): readonly Ping[] {
		return this.state.pings;
	}

	/** Returns requests that no correct app sends, and faults of the simulator itself. */
	get violations(): readonly string[] {
		return this.state.violations;
	}

	drainViolations(): string[] {
		return this.state.violations.splice(0);
	}

	/** Ends all connections. Throws if violations have not been read with `drainViolations`. */
	close(): void {
		this.gateway.drop();
		const violations = this.drainViolations();
		if (violations.length > 0) throw new Error(`violations of Discord's rules:\n${violations.join("\n")}`);
	}

	[Symbol.dispose](): void {
		this.close();
	}
}

function appOf(snowflakes: Snowflakes, ids: Ids, options: SimulatorOptions) {
	const { app: name = "Parley", privileged = privilegedIntents } = options;
	const owner = {
		id: snowflakes.create(),
		username: "owner",
		name: "Owner",
		bot: false,
		acceptsDirect: true,
	};
	// Application and bot have different ids, as in apps created before 2016, so that tests detect code that confuses
	// the two.
	const id = snowflakes.create();
	const botId = snowflakes.create();
	const user = { id: botId, username: name.toLowerCase(), name, bot: true, acceptsDirect: false };
	const secret = ids.create("secret").slice("secret_".length);
	const token = `${Buffer.from(botId).toString("base64url")}.Gsimul.${secret}${secret.slice(0, 12)}`;
	return { owner, app: { id, name, user, token, ownerId: owner.id, privileged } };
}
