import type { Clock, Ids, Logger, Store } from "@parley/base";
import type { Roots } from "../../filesystem/paths.ts";
import type { Profiles } from "../../policy/profiles/profile.ts";
import type { Tables } from "../../store/tables.ts";
import type { ChatSettings } from "../../vocabulary/chat-settings.ts";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";
import type { SecretBox } from "../../vocabulary/secrets.ts";
import type { Tool } from "../../vocabulary/tool.ts";
import type { Audit } from "../audit/audit.ts";

/** The operator's rules file, which need not exist, and the directory of agents. */
export interface PolicyFiles {
	readonly file: string;
	readonly agents?: string;
	/**
	 * Replaces the text of the file atomically with the result of `edit`, while no other process can write the
	 * file. The text of a missing file is empty. Absent if this process cannot change the file.
	 */
	readonly change?: (edit: (text: string) => string) => Promise<void>;
	/** Known tools that are not built in. Rules may name them. */
	readonly others?: readonly Pick<Tool, "name" | "command">[];
}

/** Services and settings for access: tokens, people, channels, rules and grants. */
export interface TrustOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly roots: Roots;
	readonly sandbox: Sandboxes;
	readonly secrets: SecretBox;
	readonly audit: Audit;
	readonly tools: readonly Tool[];
	/** Default: only the built-in profile. */
	readonly profiles?: Profiles;
	/** Default: chat users have no access. */
	readonly chat?: ChatSettings;
	/** Default: only the built-in rules. */
	readonly policy?: PolicyFiles;
	/** File with the operator's own token. If absent, only tokens that were created at run time are valid. */
	readonly operatorToken?: OperatorTokenFile;
	/** Throws `invalid_argument` if the agent cannot use the model. */
	readonly checkModel: (agent: string, model: string) => Promise<void>;
}

/** File with the operator's own token in plain text. Only the operator can read the file. */
export interface OperatorTokenFile {
	/**
	 * Reads the token. Rejects with `failed_precondition` if other users can read the file, or if the file contains no
	 * token.
	 */
	read(): Promise<string>;
	/** Replaces the text atomically. */
	replace(text: string): Promise<void>;
}
