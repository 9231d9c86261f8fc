import { type ModelChoice, resolveChoice } from "./agent/run/settings.ts";
import type { Observers } from "./conversation/observers.ts";
import { Prompts } from "./conversation/prompts.ts";
import type { Services } from "./conversation/services.ts";
import type { Sessions } from "./conversation/sessions.ts";
import { Workspaces } from "./conversation/workspaces.ts";
import { Files } from "./files/files.ts";
import type { RuntimeOptions } from "./runtime-options.ts";
import { Journal } from "./store/journal.ts";
import type { TextRedactor } from "./text/session-redactor.ts";
import { Audit } from "./trust/audit/audit.ts";
import { Trust } from "./use-cases/trust/trust.ts";

interface ServiceParts {
	readonly redactor: TextRedactor;
	readonly observers: Observers;
	readonly choice: ModelChoice;
	/** Exists when the first grant is requested. */
	readonly sessions: () => Sessions;
	/** Whether the gateway is shutting down. */
	readonly stopping: () => boolean;
}

/** Creates the services of a runtime, and access control, which they share. */
export function createServices(
	options: RuntimeOptions,
	{ redactor, observers, choice, sessions, stopping }: ServiceParts,
): { readonly services: Services; readonly trust: Trust } {
	const { clock, ids, log, failpoints, secrets } = options;
	const journal = new Journal(options);
	const audit = new Audit({ ...options, redactor });
	const prompts = new Prompts({
		clock,
		ids,
		audit,
		secrets,
		onDenied: (tx, place) => trust.grants.denied(tx, place),
	});
	const trust = new Trust({
		...options,
		audit,
		journal,
		prompts,
		sessions,
		checkModel: async (agent, model) => {
			await resolveChoice({ profile: agent }, model, choice);
		},
	});
	const { policies, grants, people } = trust;
	const services: Services = {
		clock,
		ids,
		log,
		failpoints,
		secrets,
		redactor,
		policies,
		grants,
		people,
		journal,
		audit,
		prompts,
		observers,
		stopping,
		files: new Files(options),
		workspaces: new Workspaces(options.roots.dataDir),
		startedAt: clock.now(),
		fingerprint: (text) => secrets.fingerprint(text),
	};
	return { services, trust };
}
