import type { OnBehalf } from "@parley/protocol";
import type { Person, Room } from "../platform/inbound-event.ts";

/** Maximum length of a person's name in a request to the gateway, in UTF-16 code units. */
const maxName = 256;
/** Maximum number of a person's roles in a request to the gateway. */
const maxRoles = 250;

/** Returns `actor` and `place` for a request on behalf of a person. */
export function onBehalf(person: Person, room: Room): Required<OnBehalf> {
	const { id, name, roles, guest } = person;
	const { tenant, channel, thread, shared } = room;
	return {
		actor: { id, name: name.slice(0, maxName).toWellFormed(), roles: roles.slice(0, maxRoles), guest },
		place: { tenant, channel, thread, shared },
	};
}
