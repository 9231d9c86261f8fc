import type { ChannelRecord, TeamRecord } from "../platform/records.ts";
import { addChannel, addUser, openConversation } from "../platform/rooms.ts";
import { sendEvents } from "../platform/send-events.ts";
import type { State } from "../platform/state.ts";
import { Channel } from "./channel.ts";
import { Person, type PersonOptions } from "./person.ts";

export interface ChannelOptions {
	readonly private?: boolean;
	/** Members besides the app. By default, all members of the team, or none in a private channel. */
	readonly members?: readonly Person[];
	readonly withoutApp?: boolean;
}

export class Team {
	readonly #state: State;
	readonly record: TeamRecord;

	constructor(state: State, record: TeamRecord) {
		this.#state = state;
		this.record = record;
	}

	get id(): string {
		return this.record.id;
	}

	/** Creates a channel. By default, a public channel with the app and all members of the team. */
	channel(name: string, options: ChannelOptions = {}): Channel {
		const everybody = [...this.#state.users.values()].filter(
			({ team, id }) => team === this.record && id !== this.#state.app.user.id,
		);
		const people = options.members?.map(({ user }) => user) ?? (options.private ? [] : everybody);
		const members = options.withoutApp ? people : [...people, this.#state.app.user];
		return new Channel(
			this.#state,
			addChannel(this.#state, options.private ? "group" : "channel", name, members),
		);
	}

	conversation(...people: readonly Person[]): Channel {
		return new Channel(
			this.#state,
			openConversation(
				this.#state,
				people.map(({ user }) => user),
			),
		);
	}

	/** Adds a person. A member of the app's team joins all public channels that are not archived. */
	member(name: string, { guest, bot, admin, owner, locale }: PersonOptions = {}): Person {
		const user = addUser(this.#state, name, {
			team: this.record,
			...(guest !== undefined && guest !== false && { guest: guest === true ? "several channels" : guest }),
			...(bot !== undefined && { isBot: bot }),
			...(admin !== undefined && { isAdmin: admin }),
			...(owner !== undefined && { isOwner: owner }),
			...(locale !== undefined && { locale }),
		});
		if (this.record === this.#state.team) {
			const isOpen = ({ kind, archived }: ChannelRecord): boolean => kind === "channel" && !archived;
			for (const channel of this.#state.channels.values()) if (isOpen(channel)) channel.members.add(user);
		}
		return new Person(this.#state, user);
	}

	/** Uninstalls the app: https://docs.slack.dev/reference/events/app_uninstalled */
	removesApp(): void {
		const tokens = { oauth: [], bot: [this.#state.app.user.id] };
		sendEvents(
			this.#state,
			{ subscription: "app_uninstalled", event: { type: "app_uninstalled" } },
			{ subscription: "tokens_revoked", event: { type: "tokens_revoked", tokens } },
		);
		this.#state.app.tokenError = "account_inactive";
	}

	revokesTokens(): void {
		this.#state.app.tokenError = "token_revoked";
	}
}
