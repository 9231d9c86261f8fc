import type { Clock } from "@parley/base";
import type { ScriptedGateway } from "@parley/connector/testing";
import type { GrantPayload } from "@parley/protocol";

type Session = ScriptedGateway["sessions"][number];

/** Pattern of channel keys of direct messages on Discord or Slack. */
const isDirect = /^dm:|:D/;

export interface Grant {
	readonly id: string;
	/** Channel of the grant: `GUILD:CHANNEL` or `TEAM:CHANNEL`. */
	readonly place: string;
	readonly grantedAt: number;
	isOver: boolean;
}

export function reasonOf({ id }: Pick<Grant, "id">): string {
	return `quick work ${id.slice(-6)}.`;
}

export class GrantWork {
	readonly grants: Grant[] = [];
	readonly #gateway: ScriptedGateway;
	readonly #clock: Clock;
	readonly #platform: string;

	constructor(gateway: ScriptedGateway, clock: Clock, platform: string) {
		this.#clock = clock;
		this.#gateway = gateway;
		this.#platform = platform;
		Object.assign<ScriptedGateway["methods"], ScriptedGateway["methods"]>(gateway.methods, {
			list_grants: () => ({
				grants: this.grants.filter(({ isOver }) => !isOver).map((grant) => this.#payloadOf(grant)),
				wishes: [],
			}),
			revoke_grant: ({ grant_id, reason }) => this.#end(grant_id, reason ?? "ended"),
		});
	}

	grantTrust(session: Session): void {
		const { place } = session;
		if (place === undefined || isDirect.test(place)) return;
		if (this.grants.some((grant) => grant.place === place && !grant.isOver)) return;
		const id = `grant_${String(this.grants.length).padStart(26, "0")}`;
		const grant = { id, place, grantedAt: this.#clock.now(), isOver: false };
		this.grants.push(grant);
		this.#notify(place, (one) => one.record("grant.created", this.#payloadOf(grant)));
	}

	#end(id: string, reason: string) {
		const grant = this.grants.find((one) => one.id === id);
		if (grant && !grant.isOver) {
			grant.isOver = true;
			this.#notify(grant.place, (one) => one.record("grant.ended", { grant_id: id, reason }));
		}
		return { status: "revoked" as const };
	}

	#notify(place: string, notify: (session: Session) => void): void {
		for (const session of this.#gateway.sessions) if (session.place === place) notify(session);
	}

	#payloadOf({ id, place }: Grant): GrantPayload {
		return {
			...{ grant_id: id, place: `${this.#platform}:${place}`, people: null, tools: null, classes: null },
			...{ max_actions: 100, used_actions: 0, reason: reasonOf({ id }), granted_by: "operator" },
			...{ created_at: "2026-01-01T00:00:00Z", expires_at: "2027-01-01T00:00:00Z" },
		};
	}
}
