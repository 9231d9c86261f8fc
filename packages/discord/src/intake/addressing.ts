import type { Address } from "@parley/connector";
import type { KnownChannel } from "./channels.ts";
import { personOf } from "./people.ts";
import type { GuildRoles } from "./roles.ts";
import type { Message } from "./wire.ts";

/** What mentions in a text are resolved with. */
export interface Names {
	/** Our user's id. */
	readonly user: string;
	readonly roles: GuildRoles;
	readonly channel: (id: string) => KnownChannel | undefined;
}

/** With the sign that ends an address, and the blanks behind. */
const mention = /<(@[!&]?|#)(\d{1,20})>((?:,|:(?=[\s/!]|$))?[^\S\n]*)/g;

/** Whom a message speaks to, and its text as people read it, without the mention of ourselves. */
export function readAddress(message: Message, names: Names): { address: Address; text: string } {
	const { content, mentions, mention_roles, mention_everyone: everyone } = message;
	// A reply counts its author among the mentioned, whether the text names them or not.
	const named = mentions.filter(({ id }) => new RegExp(`<@!?${id}>`).test(content));
	const isOwnRole = (id: string): boolean => names.roles.get(id)?.ours === true;
	return {
		address: {
			us: named.some(({ id }) => id === names.user) || mention_roles.some(isOwnRole),
			others: named.some(({ id }) => id !== names.user) || mention_roles.some((id) => !isOwnRole(id)),
			everyone,
			...replyOf(message, names.user),
		},
		text: resolve(message, names),
	};
}

function replyOf(message: Message, user: string): Pick<Address, "reply"> {
	const { message_reference: reference, referenced_message: referenced } = message;
	// Another type is a message that is passed on: resources/message#message-reference-types.
	if (!reference?.message_id || (reference.type ?? 0) !== 0) return {};
	return { reply: { message: reference.message_id, ours: referenced?.author.id === user } };
}

function resolve({ content, mentions }: Message, { user, roles, channel }: Names): string {
	return content
		.replace(mention, (whole: string, kind: string, id: string, behind: string) => {
			if (kind === "#") return shown("#", channel(id)?.name, whole, behind);
			if (kind === "@&") {
				const role = roles.get(id);
				return role?.ours ? "" : shown("@", role?.name, whole, behind);
			}
			if (id === user) return "";
			const person = mentions.find((one) => one.id === id);
			return shown("@", person && personOf(person, person.member).name, whole, behind);
		})
		.trim();
}

function shown(sign: string, name: string | undefined, whole: string, behind: string): string {
	return name === undefined ? whole : `${sign}${name}${behind}`;
}
