/** Every row carries the epoch of its writer (fencing, 1 on one machine) and the version of its own shape. */
export interface Stamped {
	epoch: number;
	v: number;
}
