import type { Clock } from "@parley/base";
import type { DiscordPort } from "../vocabulary/discord-port.ts";
import { readUntilAnswered } from "./answered.ts";
import { Role } from "./wire.ts";

/** Roles of a guild by id. `ours` means that Discord created the role only for this bot. */
export type GuildRoles = ReadonlyMap<string, { readonly name: string; readonly ours: boolean }>;

const nothing: GuildRoles = new Map();

/** Roles of guilds, from events and from requests. */
export class Roles {
	readonly #parts: { readonly port: DiscordPort; readonly clock: Clock; readonly user: string };
	readonly #known = new Map<string, GuildRoles>();

	constructor(parts: { readonly port: DiscordPort; readonly clock: Clock; readonly user: string }) {
		this.#parts = parts;
	}

	note(guild: string, roles: readonly unknown[]): GuildRoles {
		const read = roles.flatMap((role) => {
			const parsed = Role.safeParse(role);
			if (!parsed.success) return [];
			const { id, name, tags } = parsed.data;
			return [[id, { name, ours: tags?.bot_id === this.#parts.user }] as const];
		});
		const all = new Map(read);
		this.#known.set(guild, all);
		return all;
	}

	/** Deletes the roles of a guild from memory. They are read again when they are needed. */
	forget(guild: string): void {
		this.#known.delete(guild);
	}

	async find(guild: string, signal: AbortSignal): Promise<GuildRoles> {
		const known = this.#known.get(guild);
		if (known !== undefined) return known;
		const answer = await readUntilAnswered(`/guilds/${guild}/roles`, this.#parts, signal);
		return this.#known.get(guild) ?? (Array.isArray(answer) ? this.note(guild, answer) : nothing);
	}
}
