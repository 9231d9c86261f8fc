import type { Clock, Failpoints, Ids, Logger } from "@parley/base";
import type { Files } from "../files/files.ts";
import type { Journal } from "../store/journal.ts";
import type { TextRedactor } from "../text/session-redactor.ts";
import type { Audit } from "../trust/audit/audit.ts";
import type { People } from "../trust/people/people.ts";
import type { Policies } from "../trust/policies.ts";
import type { SecretBox } from "../vocabulary/secrets.ts";
import type { SessionGrants } from "./grants/channel-grants.ts";
import type { Observers } from "./observers.ts";
import type { Prompts } from "./prompts.ts";
import type { Workspaces } from "./workspaces.ts";

/** Parts of the gateway that sessions, runs and use cases work with. */
export interface Services {
	readonly journal: Journal;
	readonly files: Files;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly failpoints: Failpoints;
	/** Get everything that happens in every session. */
	readonly observers: Observers;
	/** Milliseconds since the epoch: since when clients could be here. */
	readonly startedAt: number;
	/** See `SecretBox.fingerprint`. */
	readonly fingerprint: (text: string) => string;
	/** Keeps what people typed into password prompts. */
	readonly secrets: SecretBox;
	/** Knows the secrets of the gateway. */
	readonly redactor: TextRedactor;
	readonly audit: Audit;
	readonly prompts: Prompts;
	/** What channels are trusted with. */
	readonly grants: SessionGrants;
	/** What people may do at this moment. */
	readonly people: Pick<People, "roleNow" | "asOfNow" | "asReported">;
	/** The rules that calls are decided by. */
	readonly policies: Pick<Policies, "of">;
	/** Where sessions of chat platforms work. */
	readonly workspaces: Workspaces;
	/** Whether the gateway is on its way down: who leaves now has been sent away. */
	readonly stopping: () => boolean;
}
