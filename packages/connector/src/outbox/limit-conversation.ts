import { DeliveryError, type OutboxRow, type Surface } from "./surface.ts";

/**
 * What an action for a row comes to. A limit of its that the row is not known to count towards, such as that of reading,
 * is one of its conversation: that one waits.
 */
export async function limitConversation<T>(
	surface: Pick<Surface, "scopes">,
	{ conversation, lane, target }: Pick<OutboxRow, "conversation" | "lane" | "target">,
	action: () => Promise<T>,
): Promise<T> {
	try {
		return await action();
	} catch (error) {
		const limit = error instanceof DeliveryError ? error.limit : undefined;
		const known = surface.scopes({ conversation, lane, edits: target !== undefined });
		if (limit === undefined || known.includes(limit.scope)) throw error;
		const { message, kind } = DeliveryError.from(error);
		throw new DeliveryError(message, { kind, limit: { ...limit, scope: conversation }, cause: error });
	}
}
