import { sql } from "kysely";

/** Of rows of the outbox: what is not settled. Without parameters, so that it is seen to be what `outbox_open` holds. */
export const isOpen = sql<boolean>`state in ('planned', 'attempted', 'unknown', 'held')`;
