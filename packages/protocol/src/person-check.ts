import * as z from "zod";
import { Place } from "./on-behalf.ts";

/** Name of the frame that asks a connector about a person. The frame does not belong to a session. */
export const personCheckName = "person.check";

/**
 * A question to a connector before a schedule of a person fires: which rights the platform gives the person in this
 * place now. The connector answers with `report_person` within 10 seconds.
 */
export const PersonCheck = z.object({
	check_id: z.string().min(1),
	/** The platform's id of the person. */
	user: z.string().min(1),
	place: Place,
});
export type PersonCheck = z.output<typeof PersonCheck>;
