import { type Clock, type Logger, ParleyError } from "@parley/base";
import type { Person } from "@parley/connector";
import type { OwnAccount, SlackApi } from "../vocabulary/slack-port.ts";
import { readSlack } from "./read-slack.ts";
import { Remembered } from "./remembered.ts";
import { User } from "./wire.ts";

/** Id of Slack's own account, which is not marked as a bot: https://docs.slack.dev/reference/objects/user-object */
const slackbot = "USLACKBOT";

/** Errors of `users.info` for an unknown person: https://docs.slack.dev/reference/methods/users.info */
const unknown: ReadonlySet<string> = new Set(["user_not_found", "users_not_found", "user_not_visible"]);

/** Returns a person without a name and with the lowest permissions. */
export function unknownPerson(id: string): Person {
	return { id, name: "", roles: [], guest: true, bot: false };
}

/** People, cached in memory. */
export class People {
	readonly #self: OwnAccount;
	readonly #port: SlackApi;
	readonly #known: Remembered<Person>;

	constructor(parts: {
		readonly self: OwnAccount;
		readonly port: SlackApi;
		readonly clock: Clock;
		readonly log: Logger;
	}) {
		const { self, port, clock, log } = parts;
		this.#self = self;
		this.#port = port;
		this.#known = new Remembered({
			what: "the person",
			clock,
			retentionMs: 600_000,
			maximum: 20_000,
			ask: async (id) => {
				const answer = await readSlack(port, { method: "users.info", args: { user: id } });
				const read = "body" in answer ? User.safeParse(answer.body["user"]).data : undefined;
				if (read) return this.#person(read);
				const why = "refused" in answer ? answer.refused : "Slack's response is invalid";
				log.warn("could not read a person from Slack, so the person is treated as a guest", {
					user: id,
					why,
				});
				return unknownPerson(id);
			},
		});
	}

	/**
	 * Returns a person. Rejects with `unavailable` if Slack does not respond in time. A person whom Slack does not report is a
	 * guest without a name.
	 */
	find(id: string): Promise<Person> {
		return this.#known.find(id);
	}

	/**
	 * Returns current data of a person from Slack. Returns `left` if the person was deactivated or removed, or if Slack
	 * does not know the person. Rejects with `unavailable` if Slack does not return valid data.
	 */
	async ask(id: string): Promise<Person | "left"> {
		const answer = await readSlack(this.#port, { method: "users.info", args: { user: id } });
		if ("refused" in answer && unknown.has(answer.refused)) return "left";
		const user = "body" in answer ? User.safeParse(answer.body["user"]).data : undefined;
		if (!user) {
			const why = "refused" in answer ? answer.refused : "Slack's response is invalid";
			throw new ParleyError(`cannot read the person ${id} from Slack: ${why}`, { code: "unavailable" });
		}
		this.note(user);
		return user.deleted ? "left" : this.#person(user);
	}

	/** Returns the cached name of a person, or undefined. */
	known(id: string): string | undefined {
		return this.#known.get(id)?.name || undefined;
	}

	note(user: User): void {
		this.#known.note(user.id, this.#person(user));
	}

	/**
	 * Returns the name for a mention in a text, or undefined if the person has no name or Slack does not return it in
	 * time.
	 */
	async nameOf(id: string): Promise<string | undefined> {
		const person = await this.find(id).catch(() => undefined);
		return person?.name || undefined;
	}

	#person({ id, team_id, name, real_name, profile, ...user }: User): Person {
		const { team } = this.#self;
		const isOfTeam = team_id === team || user.enterprise_user?.teams.includes(team) === true;
		const isMember = isOfTeam && !user.is_restricted && !user.is_ultra_restricted && !user.is_stranger;
		return {
			id,
			roles: [],
			guest: !isMember,
			bot: user.is_bot === true || id === slackbot,
			name: profile?.display_name || profile?.real_name || real_name || name || "",
		};
	}
}
