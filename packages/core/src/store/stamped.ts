/**
 * Columns that most tables have. `epoch` is the writer's epoch, for fencing. With one machine, `epoch` is always 1,
 * except in `tasks`. `v` is the version of the row's format.
 */
export interface Stamped {
	epoch: number;
	v: number;
}
