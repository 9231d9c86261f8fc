import { type Clock, chanceOf, type Ids } from "@parley/base";
import type { AppRecord } from "./app.ts";
import type {
	ChannelRecord,
	FileRecord,
	HomeRecord,
	InteractionRecord,
	MessageRecord,
	Ping,
	PromptsRecord,
	SessionRecord,
	StatusRecord,
	TeamRecord,
	UserRecord,
	ViewRecord,
} from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { SimulatorSettings } from "./settings.ts";
import type { Stamps } from "./stamps.ts";

/** A payload for the app: an event, a command or another interaction. */
export interface SimulatorEvent {
	readonly kind: "event" | "command" | "interactive";
	/** The inner event, or the payload of a press, a form, a shortcut or a command. */
	readonly body: Readonly<Record<string, unknown>>;
	/** The interaction that needs the acknowledgement. Undefined for an event. */
	readonly interaction?: InteractionRecord;
	readonly channel?: ChannelRecord;
}

export class State {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly stamps: Stamps;
	readonly settings: SimulatorSettings;
	/** The workspace that has installed the app. */
	readonly team: TeamRecord;
	readonly app: AppRecord;
	readonly users = new Map<string, UserRecord>();
	readonly channels = new Map<string, ChannelRecord>();
	readonly files = new Map<string, FileRecord>();
	readonly views = new Map<string, ViewRecord>();
	/** Home tabs by the id of the user. */
	readonly homes = new Map<string, HomeRecord>();
	/** Channel that each user views while the app is open, by the id of the user. */
	readonly contexts = new Map<string, ChannelRecord>();
	readonly interactions: InteractionRecord[] = [];
	/** Statuses by the id of the thread's first message. */
	readonly statuses = new Map<string, StatusRecord>();
	/** Sessions by the id of the thread's first message. */
	readonly sessions = new Map<string, SessionRecord>();
	/** Suggested prompts of the app. The key is `CHANNEL-` for a channel, and `CHANNEL-TS` for a thread. */
	readonly prompts = new Map<string, PromptsRecord>();
	readonly pings: Ping[] = [];
	/** Calls that were refused because no correct app sends them, and faults of the simulator itself. */
	readonly violations: string[] = [];
	/** Base URLs of files, uploads and responses. A front end with its own port changes them. */
	readonly hosts = { files: "https://files.slack.com", hooks: "https://hooks.slack.com" };
	/** Creates the address of a socket. A front end with its own port changes it. */
	socketUrl: () => string = () => `wss://wss-primary.slack.com/link/?ticket=${this.ids.create("ticket")}`;
	readonly #listeners = new Set<(events: readonly SimulatorEvent[]) => void>();

	constructor(parts: Pick<State, "clock" | "ids" | "stamps" | "settings" | "team" | "app">) {
		this.clock = parts.clock;
		this.ids = parts.ids;
		this.stamps = parts.stamps;
		this.settings = parts.settings;
		this.team = parts.team;
		this.app = parts.app;
		this.users.set(this.app.user.id, this.app.user);
	}

	now(): number {
		return this.clock.now();
	}

	/** Returns a number of at least 0 and below 1, derived from the seed. */
	chance(): number {
		return chanceOf(this.ids);
	}

	/** Emits events. Several events of one call may be delivered in any order. */
	emit(...events: readonly SimulatorEvent[]): void {
		for (const listener of [...this.#listeners]) listener(events);
	}

	listen(listener: (events: readonly SimulatorEvent[]) => void): void {
		this.#listeners.add(listener);
	}

	user(id: string): UserRecord {
		const user = this.users.get(id);
		if (!user) throw new Refusal("user_not_found");
		return user;
	}

	channel(id: string): ChannelRecord {
		const channel = this.channels.get(id);
		if (!channel || channel.deleted) throw new Refusal("channel_not_found");
		return channel;
	}

	/** Returns a message that the app can request. Throws for an ephemeral or deleted message. */
	message(channel: ChannelRecord, ts: string): MessageRecord {
		const found = channel.messages.find((message) => message.ts === ts);
		if (!found || found.deleted || found.onlyFor) throw new Refusal("message_not_found");
		return found;
	}
}
