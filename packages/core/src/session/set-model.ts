import { type Keyed, once } from "./idempotency.ts";
import type { Session } from "./session.ts";

/** Chooses the model of a session's next runs, a real name; undefined leaves it to the profile and the gateway. */
export async function setModel(session: Session, request: Keyed, model: string | undefined): Promise<void> {
	await session.commit((tx) =>
		once(tx, request, session.deps, async () => {
			await tx
				.updateTable("sessions")
				.set({ model: model ?? null })
				.where("id", "=", session.id)
				.execute();
		}),
	);
	session.model = model;
}
