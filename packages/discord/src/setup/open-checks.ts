import type { Clock } from "@parley/base";
import { commandTable } from "@parley/connector";
import { RestAnswers } from "../client/rest-answers.ts";
import type { DoctorParts } from "./doctor.ts";

/** What checks look at Discord with, without a connection to its gateway; `close` when they are done. */
export function openChecks(options: {
	readonly token: string;
	/** Another `https://discord.com/api`. */
	readonly apiUrl?: string | undefined;
	readonly clock: Clock;
}): DoctorParts & { close(): void } {
	const { token, apiUrl, clock } = options;
	const port = new RestAnswers(token, apiUrl);
	// Commands that are not wanted any more, the connector knows, which deletes them.
	const memory = { load: async () => undefined, save: async () => undefined };
	return { port, clock, memory, shapes: commandTable, close: () => port.close() };
}
