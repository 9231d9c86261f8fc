import { ChannelGrants, type GrantOptions } from "../../conversation/grants/channel-grants.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import type { Audit } from "../../trust/audit/audit.ts";
import { AuditLog } from "../../trust/audit/audit-log.ts";
import { People } from "../../trust/people/people.ts";
import { PersonChecks } from "../../trust/people/person-checks.ts";
import { Places } from "../../trust/places.ts";
import { Policies } from "../../trust/policies.ts";
import { Tokens } from "../../trust/tokens/tokens.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import { endAcceptAll } from "../messages/accept-all.ts";

/** Manages access, permissions, channels and the audit log. Available as `runtime.trust`. */
export class Trust {
	readonly audit: Audit;
	readonly auditLog: AuditLog;
	readonly tokens: Tokens;
	readonly people: People;
	/** Requests to connectors for the current permissions of chat users. */
	readonly checks: PersonChecks;
	readonly places: Places;
	readonly policies: Policies;
	readonly grants: ChannelGrants;

	readonly #options: GrantOptions;
	readonly #sessions: () => Sessions;

	constructor(options: GrantOptions) {
		this.#options = options;
		this.#sessions = options.sessions;
		this.audit = options.audit;
		this.auditLog = new AuditLog(options);
		this.tokens = new Tokens(options);
		this.people = new People(options);
		this.checks = new PersonChecks(options);
		this.places = new Places(options);
		this.policies = new Policies(options, this.places);
		this.grants = new ChannelGrants(options, this.policies, this.people);
	}

	/**
	 * Returns the connector's principal for this person. If the person has no access or the channel is shared, the trust of
	 * the channel may end.
	 */
	async identify(...args: Parameters<People["identify"]>): Promise<Principal> {
		const acting = await this.people.identify(...args);
		await this.grants.witness(acting);
		return acting;
	}

	/** Ends the trust that the session got from `accept_all_tools`, even if the trust was granted before a restart. */
	async endAcceptAll(by: Principal, sessionId: string): Promise<void> {
		const { clock } = this.#options;
		await endAcceptAll({ sessions: this.#sessions(), clock, audit: this.audit }, by, sessionId);
	}

	/** Loads the tokens, channel settings, policy and grants before the gateway serves requests. */
	async load(): Promise<void> {
		await Promise.all([this.tokens.load(), this.places.load(), this.policies.load()]);
		// The policy is loaded before the grants, because each grant applies under a policy.
		await this.grants.load();
	}

	/** Stops the checks and timers. Resolves when all writes are done. */
	async stop(): Promise<void> {
		this.checks.stop();
		await this.grants.stop();
		await this.audit.stop();
	}
}
