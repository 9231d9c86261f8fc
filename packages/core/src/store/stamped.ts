/**
 * Common columns of rows: the epoch of the writer (for fencing; always 1 on one machine, except in `tasks`), and the version of
 * the row's format.
 */
export interface Stamped {
	epoch: number;
	v: number;
}
