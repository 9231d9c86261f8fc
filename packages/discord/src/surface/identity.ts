import { hash } from "node:crypto";
import * as z from "zod";

/**
 * Ids of components by which a card is found. Discord stores the `id` of a component, a 32-bit integer that members
 * do not see. Components without an id are numbered from 1: components/reference#anatomy-of-a-component
 */
export interface CardIdentity {
	/** Id of the first component: the container, or the first row of buttons. */
	readonly first: number;
	/** Id of the text in the container. */
	readonly text: number;
}

/** Lower bound of `first`. The ids of texts are below this bound, so that each id occurs once in a message. */
const firstId = 2 ** 30;

/**
 * Returns the identity of the card with the name `name`. The probability that two cards with a container have the
 * same identity is 2 to the power of -59.
 */
export function identityOf(name: string): CardIdentity {
	const bytes = hash("sha256", `card:${name}`, "buffer");
	return {
		first: firstId + (bytes.readUInt32BE(0) % firstId),
		text: firstId / 2 + (bytes.readUInt32BE(4) % (firstId / 2)),
	};
}

const WithId = z.object({ id: z.number(), components: z.array(z.unknown()).catch([]) });

/**
 * Whether the components have this identity. Returns undefined if they have no identity, as in messages from
 * earlier versions of Parley.
 */
export function hasIdentity(
	components: readonly unknown[],
	{ first, text }: CardIdentity,
): boolean | undefined {
	const outer = WithId.safeParse(components[0]).data;
	if (outer === undefined || outer.id < firstId) return undefined;
	const inner = WithId.safeParse(outer.components[0]).data;
	const isText = inner !== undefined && inner.id >= firstId / 2 && inner.id < firstId;
	return outer.id === first && (!isText || inner.id === text);
}
