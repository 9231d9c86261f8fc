import { chooseSettings, type ModelChoice, resolveModel } from "../../agent/settings.ts";
import type { Session } from "../../conversation/session.ts";
import { type Keyed, once } from "../../store/idempotency.ts";

/** What somebody chose, as it will hold. */
export interface ModelWish {
	/** The real name for the session's row; undefined leaves it to the profile and the gateway. */
	readonly chosen: string | undefined;
	/** The name of the model that will be asked. */
	readonly model: string;
}

/** Chooses the model of a session's next runs. What is wrong with the wish is thrown, unless the key was used before. */
export async function setModel(
	session: Session,
	request: Keyed,
	wish: Promise<ModelWish>,
): Promise<{ readonly model: string }> {
	// Of a repeated request nobody looks at it.
	wish.catch(() => undefined);
	let chosen: string | undefined;
	const { response, repeated } = await session.commit((tx) =>
		once(tx, request, session.deps, async () => {
			const wanted = await wish;
			chosen = wanted.chosen;
			await tx
				.updateTable("sessions")
				.set({ model: chosen ?? null })
				.where("id", "=", session.id)
				.execute();
			return { model: wanted.model };
		}),
	);
	if (!repeated) session.model = chosen;
	return response;
}

/** What a name, a tier or `default` comes to in a session; throws `invalid_argument` for what no model is called. */
export async function wishOf(
	{ profile }: Pick<Session, "profile">,
	wanted: string,
	choice: ModelChoice,
): Promise<ModelWish> {
	const chosen = wanted === "default" ? undefined : await realName(profile, wanted, choice);
	return { chosen, model: (await chooseSettings({ profile, model: chosen }, choice)).names[0] };
}

/** The name of a model as the server of this agent knows it; throws `invalid_argument` where none is called so. */
export async function realName(profile: string, wanted: string, choice: ModelChoice): Promise<string> {
	const { endpoint } = await choice.profiles.find(profile);
	const anyModel = endpoint !== undefined || choice.anyModel;
	const model = endpoint ? choice.modelAt(endpoint) : choice.model;
	return resolveModel(wanted, { ...choice, model, anyModel });
}
