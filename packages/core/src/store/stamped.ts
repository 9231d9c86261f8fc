/**
 * Common columns of rows. `epoch` is the epoch of the writer for fencing; it is always 1 on one machine, except in
 * `tasks`. `v` is the version of the row's format.
 */
export interface Stamped {
	epoch: number;
	v: number;
}
