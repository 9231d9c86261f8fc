import { interactionShape } from "../shapes/interactions.ts";
import type {
	ChannelRecord,
	HomeRecord,
	InteractionRecord,
	MessageRecord,
	UserRecord,
	Version,
	ViewRecord,
} from "./records.ts";
import type { State } from "./state.ts";

export interface Beginning {
	readonly kind: InteractionRecord["kind"];
	readonly user: UserRecord;
	readonly channel?: ChannelRecord;
	readonly threadTs?: string;
	readonly message?: MessageRecord;
	readonly pressedOn?: Version;
	readonly view?: ViewRecord;
	readonly home?: HomeRecord;
	readonly data: Readonly<Record<string, unknown>>;
}

/** Starts an interaction, which the app must acknowledge within `acknowledgeMs`. */
export function beginInteraction(state: State, { data, ...beginning }: Beginning): InteractionRecord {
	const id = state.ids.create("interaction").slice("interaction_".length);
	const { kind, channel } = beginning;
	const path = kind === "command" ? "commands" : "actions";
	const interaction: InteractionRecord = {
		...beginning,
		id,
		createdAt: state.now(),
		triggerId: `${state.interactions.length + 1}.${Number(state.stamps.create().replace(".", ""))}.${id}`,
		...(kind !== "form" && channel && { responseUrl: `${state.hosts.hooks}/${path}/${state.team.id}/${id}` }),
		...{ triggerUsed: false, responses: 0, state: "waiting", answers: [], closed: false },
	};
	state.interactions.push(interaction);
	const shape = interactionShape(state, interaction, data);
	state.emit({ kind: kind === "command" ? "command" : "interactive", body: shape, interaction });
	return interaction;
}

/** Marks a waiting interaction as failed if `acknowledgeMs` has passed. */
export function settleInteraction(state: State, interaction: InteractionRecord): InteractionRecord {
	const late = state.now() - interaction.createdAt >= state.settings.acknowledgeMs;
	if (interaction.state === "waiting" && late) interaction.state = "failed";
	return interaction;
}
