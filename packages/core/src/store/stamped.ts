/** Columns of every row: the epoch of its writer (for fencing, 1 on one machine), and the version of the row's format. */
export interface Stamped {
	epoch: number;
	v: number;
}
