import { type Clock, type Ids, systemClock } from "@parley/base";
import { seededIds } from "@parley/base/testing";
import { Delivery } from "../events/delivery.ts";
import { Channel } from "../people/channel.ts";
import type { Person, PersonOptions } from "../people/person.ts";
import { type Shown, show } from "../people/shown.ts";
import { Team } from "../people/team.ts";
import type { ApiResponse } from "../web-api/exchange.ts";
import { Network } from "../web-api/network.ts";
import { respond } from "../web-api/response-urls.ts";
import { WebApi } from "../web-api/web-api.ts";
import type { AppRecord } from "./app.ts";
import { type AppManifest, fullManifest, install } from "./manifest.ts";
import type { Ping, TeamRecord, UserRecord } from "./records.ts";
import { defaultSettings, type SimulatorSettings } from "./settings.ts";
import { Stamps } from "./stamps.ts";
import { State } from "./state.ts";
import { unfinishedStreams } from "./stream-state.ts";

export interface SimulatorOptions {
	readonly clock?: Clock;
	readonly seed?: number;
	readonly settings?: Partial<SimulatorSettings>;
	readonly app?: string;
	/** Manifest of the app. By default, `fullManifest`. */
	readonly manifest?: AppManifest;
}

/**
 * Simulated Slack in one process, with workspaces, channels, users, the Web API and events. For the same
 * inputs, clock and seed, its behaviour is the same.
 */
export class Simulator {
	readonly clock: Clock;
	readonly state: State;
	readonly api: WebApi;
	readonly network: Network;
	readonly delivery: Delivery;
	/** The workspace that has installed the app. It is the default workspace. */
	readonly home: Team;

	constructor(options: SimulatorOptions = {}) {
		this.clock = options.clock ?? systemClock;
		const ids = seededIds(options.seed ?? 1);
		const stamps = new Stamps(this.clock);
		const settings = { ...defaultSettings, ...options.settings };
		const team: TeamRecord = { id: stamps.id("T"), name: "Home", domain: "home" };
		const app = appOf(stamps, ids, { team, name: options.app ?? "Parley" });
		install(app, options.manifest ?? fullManifest);
		this.state = new State({ clock: this.clock, ids, stamps, settings, team, app });
		this.api = new WebApi(this.state);
		this.network = new Network(this.state);
		this.delivery = new Delivery(this.state);
		this.home = new Team(this.state, team);
	}

	get token(): string {
		return this.state.app.botToken;
	}

	get appToken(): string {
		return this.state.app.appToken;
	}

	get signingSecret(): string {
		return this.state.app.signingSecret;
	}

	get mention(): string {
		return `<@${this.state.app.user.id}>`;
	}

	get bot(): UserRecord {
		return this.state.app.user;
	}

	/** Creates another workspace, for users of Slack Connect. Without a name, returns the default workspace. */
	team(name?: string): Team {
		if (name === undefined) return this.home;
		const id = this.state.stamps.id("T");
		return new Team(this.state, { id, name, domain: name.toLowerCase() });
	}

	/** Creates a public channel of the default workspace, with all current and later members. */
	channel(name: string): Channel {
		return this.home.channel(name);
	}

	member(name: string, options: PersonOptions = {}): Person {
		return this.home.member(name, options);
	}

	/** Returns the channel with this id, or the thread with an id of the form `CHANNEL-TS`. */
	place(id: string): Channel {
		const [channel = "", threadTs] = id.split("-");
		return new Channel(this.state, this.state.channel(channel), threadTs);
	}

	/** Returns all threads, in the order of their first replies. */
	threads(): Channel[] {
		const answers = [...this.state.channels.values()]
			.flatMap(({ messages }) => messages)
			.filter(({ threadTs }) => threadTs !== undefined)
			.sort((one, other) => Number(one.ts) - Number(other.ts));
		const ids = new Set(answers.map(({ channel, threadTs }) => `${channel.id}-${threadTs}`));
		return [...ids].map((id) => this.place(id));
	}

	/** Returns the streams that the app has not stopped, and the app's posts for which `isDraft` returns true. */
	unfinished(isDraft: (shown: Shown) => boolean = () => false): Shown[] {
		const { state } = this;
		const streams = new Set(unfinishedStreams(state));
		const own = [...state.channels.values()]
			.flatMap(({ messages }) => messages)
			.filter((message) => message.author === state.app.user && !message.deleted);
		return own
			.map((message) => ({ message, shown: show(state, message) }))
			.filter(({ message, shown }) => streams.has(message) || isDraft(shown))
			.map(({ shown }) => shown);
	}

	/** Replaces the manifest of the app, including its scopes and events. */
	installs(manifest: AppManifest): void {
		install(this.state.app, manifest);
	}

	respond(url: string, body: unknown): ApiResponse {
		return respond(this.state, url, body);
	}

	/** Returns the users and groups that posts of the app would have notified. */
	get pings(): readonly Ping[] {
		return this.state.pings;
	}

	/** Returns calls that no correct app sends, and faults of the simulator itself. */
	get violations(): readonly string[] {
		return this.state.violations;
	}

	drainViolations(): string[] {
		return this.state.violations.splice(0);
	}

	/** Ends all connections. Throws if violations have not been read with `drainViolations`. */
	close(): void {
		this.delivery.close();
		const violations = this.drainViolations();
		if (violations.length > 0) throw new Error(`violations of Slack's rules:\n${violations.join("\n")}`);
	}

	[Symbol.dispose](): void {
		this.close();
	}
}

function appOf(
	stamps: Stamps,
	ids: Ids,
	{ team, name }: { readonly team: TeamRecord; readonly name: string },
): AppRecord {
	const id = stamps.id("A");
	const botId = stamps.id("B");
	const secret = (): string => ids.create("secret").slice("secret_".length);
	const user: UserRecord = {
		...{ id: stamps.id("U"), handle: name.toLowerCase(), name, team, isBot: true, botId, appId: id },
		...{ isRestricted: false, isUltraRestricted: false, isAdmin: false, isOwner: false },
		...{ deleted: false, locale: "en-US" },
	};
	return {
		...{ id, name, user, botId, tokenError: undefined, manifest: {} },
		...{ agent: false, agentView: false, hasHome: false, prompts: [] },
		botToken: `xoxb-${secret()}`,
		appToken: `xapp-1-${id}-${secret()}`,
		configToken: `xoxe.xoxp-${secret()}`,
		...{ signingSecret: secret(), verificationToken: secret() },
		...{ scopes: new Set(), subscriptions: new Set(), commands: [], shortcuts: [] },
	};
}
