import type { PersonCheck } from "@parley/protocol";

/** Person and channel of a check that the gateway requests. */
export interface PersonQuery {
	readonly user: PersonCheck["user"];
	readonly place: PersonCheck["place"];
}

/** Current rights of a person in a channel, according to the platform. */
export type PersonRights =
	| {
			readonly present: true;
			/** Ids of roles on the platform. */
			readonly roles: string[];
			readonly guest: boolean;
			/** Whether people of other organisations can read the channel. */
			readonly shared: boolean;
	  }
	/** `left`: the person is no longer in the guild or team. `no_access`: the person can no longer write in the channel. */
	| { readonly present: false; readonly reason: "left" | "no_access" };
