/** Change that produced a state of a post. `append` and `stop` are changes of a stream. */
export type StateCause = "create" | "append" | "edit" | "stop" | "delete";

/** Text of a post after a change, as chat users see it. */
export interface PostState {
	/** Time of the change, in milliseconds since the epoch. */
	readonly at: number;
	readonly by: StateCause;
	readonly text: string;
}
