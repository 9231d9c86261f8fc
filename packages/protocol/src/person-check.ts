import * as z from "zod";
import { Place } from "./on-behalf.ts";

/**
 * Name of the frame with which the gateway asks a connector about a person. The frame is not an event of a session,
 * even if it names a session.
 */
export const personCheckName = "person.check";

/**
 * A question to a connector about the present rights of a person in a channel. For example, the gateway sends the
 * question before a schedule of the person fires. The connector answers with `report_person` within 10 seconds.
 */
export const PersonCheck = z.object({
	check_id: z.string().min(1),
	/** The platform's id of the person. */
	user: z.string().min(1),
	place: Place,
});
export type PersonCheck = z.output<typeof PersonCheck>;
