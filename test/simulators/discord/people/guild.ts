import { GatewayDispatchEvents, GatewayIntentBits, PermissionFlagsBits } from "discord-api-types/v10";
import { addChannel, addRole, addUser, emitMember, join, leave } from "../platform/guilds.ts";
import type { GuildRecord, RoleRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { roleShape } from "../shapes/people.ts";
import { Channel } from "./channel.ts";
import { Person, type PersonOptions } from "./person.ts";

export class Guild {
	readonly #state: State;
	readonly record: GuildRecord;

	constructor(state: State, record: GuildRecord) {
		this.#state = state;
		this.record = record;
	}

	/** Returns the id of the guild and of its role `@everyone`. */
	get id(): string {
		return this.record.id;
	}

	channel(name: string): Channel {
		return new Channel(this.#state, addChannel(this.#state, this.record, name));
	}

	role(
		name: string,
		options: {
			readonly permissions?: readonly (keyof typeof PermissionFlagsBits)[];
			readonly mentionable?: boolean;
		} = {},
	): RoleRecord {
		const known = [...this.record.roles.values()].find((role) => role.name === name);
		if (known) return known;
		const permissions = (options.permissions ?? []).reduce((sum, one) => sum | PermissionFlagsBits[one], 0n);
		return addRole(this.#state, this.record, name, {
			permissions,
			mentionable: options.mentionable ?? false,
		});
	}

	/** Adds a member to the guild. Creates roles that do not exist yet. */
	member(name: string, options: PersonOptions = {}): Person {
		const user = options.is?.user ?? addUser(this.#state, name, options.bot);
		const member = join(this.#state, this.record, user, options.guest);
		const roles = options.roles ?? [];
		for (const role of roles) member.roles.add(this.role(role).id);
		if (roles.length > 0) emitMember(this.#state, this.record, member);
		return new Person(this.#state, user, this.record);
	}

	/**
	 * Creates the managed role of the app:
	 * https://discord.com/developers/docs/topics/permissions#role-object-role-tags-structure
	 */
	botRole(): RoleRecord {
		const { user, name } = this.#state.app;
		const role = addRole(this.#state, this.record, name, { botId: user.id, mentionable: true });
		this.#state.member(this.record, user.id).roles.add(role.id);
		return role;
	}

	permits(role: RoleRecord, permissions: readonly (keyof typeof PermissionFlagsBits)[]): void {
		role.permissions = permissions.reduce((sum, one) => sum | PermissionFlagsBits[one], 0n);
		const t = GatewayDispatchEvents.GuildRoleUpdate;
		const d = { guild_id: this.id, role: roleShape(role) };
		this.#state.emit({ t, d, intents: GatewayIntentBits.Guilds });
	}

	removes({ user }: Person): void {
		leave(this.#state, this.record, user);
	}

	removesApp(): void {
		this.record.members.delete(this.#state.app.user.id);
		const t = GatewayDispatchEvents.GuildDelete;
		this.#state.emit({ t, d: { id: this.id }, intents: GatewayIntentBits.Guilds });
	}
}
