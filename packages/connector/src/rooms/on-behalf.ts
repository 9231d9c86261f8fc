import type { OnBehalf } from "@parley/protocol";
import type { Person, Room } from "../platform/inbound-event.ts";

/** Of a name and of roles as much as the gateway takes. */
const mostName = 256;
const mostRoles = 250;

/** Who speaks where, as the gateway wants to hear it with each request that is made for somebody. */
export function onBehalf(person: Person, room: Room): Required<OnBehalf> {
	const { id, name, roles, guest } = person;
	const { tenant, channel, thread, shared } = room;
	return {
		actor: { id, name: name.slice(0, mostName).toWellFormed(), roles: roles.slice(0, mostRoles), guest },
		place: { tenant, channel, thread, shared },
	};
}
