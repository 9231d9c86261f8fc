import type { PersonCheck } from "@parley/protocol";

/** A person and the place in which a schedule of that person is to fire. */
export interface PersonQuery {
	readonly user: PersonCheck["user"];
	readonly place: PersonCheck["place"];
}

/** Rights that the platform gives a person in a place at this moment. */
export type PersonRights =
	| {
			readonly present: true;
			/** Ids of the platform's roles. */
			readonly roles: string[];
			readonly guest: boolean;
			/** Whether people of other organisations are in the place. */
			readonly shared: boolean;
	  }
	/** `left`: not in the guild or team any more. `no_access`: cannot write in the place any more. */
	| { readonly present: false; readonly reason: "left" | "no_access" };
