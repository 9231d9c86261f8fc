import { ParleyError } from "@parley/base";
import type { Author } from "../event.ts";
import type { FileFacts } from "../files/file-facts.ts";
import type { Usage } from "../usage/usage.ts";
import type { Session } from "./session.ts";

/** Why a call ran or did not. */
export interface ExplainedCall {
	readonly callId: string;
	readonly name: string;
	/** `allowed` by policy, `approved` or `denied` by a person, `refused` by policy or because it made no sense. */
	readonly decision: "allowed" | "approved" | "denied" | "refused" | "waiting";
	/** The rule that decided, in words for people. */
	readonly reason: string;
	/** Who answered, where somebody was asked. */
	readonly by?: string;
	readonly outcome: "completed" | "failed" | "running" | "none";
}

/** What became of one message: what was heard, what was decided, what was said. Times are milliseconds since the epoch. */
export interface Explanation {
	readonly runId: string;
	readonly correlation: string;
	readonly heard: {
		readonly content: string;
		readonly at: number;
		readonly author?: Author;
		readonly attachments: readonly FileFacts[];
	};
	readonly state: "queued" | "active" | "ended";
	readonly profile: string;
	readonly policyVersion: string;
	/** Whether `accept_all_tools` held. */
	readonly acceptAll: boolean;
	/** What has come together in the session, in words. */
	readonly taint: readonly string[];
	readonly models: readonly {
		readonly model: string;
		readonly calls: number;
		readonly errors: readonly string[];
	}[];
	readonly calls: readonly ExplainedCall[];
	readonly said?: {
		readonly content: string;
		readonly error: string;
		readonly at: number;
		readonly model: string;
		readonly usage: Usage;
		readonly cost: number;
	};
	readonly files: readonly FileFacts[];
	readonly feedback: readonly {
		readonly by: string;
		readonly rating: "good" | "bad";
		readonly comment: string;
	}[];
}

/** Explains one run of the session; the last one where `runId` is absent. Throws `not_found`. */
export async function explainRun(_session: Session, _runId: string | undefined): Promise<Explanation> {
	throw new ParleyError("not available", { code: "unimplemented" });
}
