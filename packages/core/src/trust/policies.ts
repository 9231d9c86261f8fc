import { ParleyError } from "@parley/base";
import { authorize } from "../authorize.ts";
import type { Principal } from "../principal.ts";
import type { TrustOptions } from "./trust.ts";

/** A call to be judged without running it. */
export interface PolicyQuestion {
	readonly sessionId?: string;
	readonly tool: string;
	readonly arguments: unknown;
	readonly agent?: string;
	readonly place?: string;
}

/** Why a call would be let through, asked about or denied. */
export interface PolicyAnswer {
	readonly effect: "allow" | "ask" | "deny";
	readonly floor: boolean;
	readonly reason: string;
	readonly classes: readonly string[];
	readonly rules: readonly {
		readonly layer: string;
		readonly source?: string;
		readonly effect: "allow" | "ask" | "deny";
		readonly reason: string;
		readonly decides: boolean;
	}[];
	readonly sandbox: string;
	readonly policyVersion: string;
}

/** The rules that the operator, agents, channels and workspaces add to the built-in ones. */
export class Policies {
	constructor(_options: TrustOptions) {}

	/** Reads the operator's file; throws `failed_precondition` with line and reason where it cannot be used. */
	async load(): Promise<void> {}

	async test(principal: Principal, _question: PolicyQuestion): Promise<PolicyAnswer> {
		authorize(principal, "policy.read");
		throw new ParleyError("not available", { code: "unimplemented" });
	}
}
