import type { ResolvedModel } from "../../agent/run/settings.ts";
import type { Session } from "../../conversation/session.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";

/** Sets the model of a session's next runs. Throws for an invalid choice, unless an earlier request used the key. */
export async function setModel(
	keys: KeyServices,
	session: Session,
	request: Keyed,
	resolving: Promise<ResolvedModel>,
): Promise<{ readonly model: string }> {
	// A repeated request does not await the promise. A rejection must then have no effect.
	resolving.catch(() => undefined);
	let chosen: string | undefined;
	const { response, repeated } = await session.commit((tx) =>
		once(tx, request, keys, async () => {
			const resolved = await resolving;
			chosen = resolved.chosen;
			await tx
				.updateTable("sessions")
				.set({ model: chosen ?? null })
				.where("id", "=", session.id)
				.execute();
			return { model: resolved.model };
		}),
	);
	if (!repeated) session.model = chosen;
	return response;
}
