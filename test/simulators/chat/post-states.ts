/** The change that led to a state of a post. `append` and `stop` are changes of a stream. */
export type StateCause = "create" | "append" | "edit" | "stop" | "delete";

/** Content of a post after a change, as people read it. */
export interface PostState {
	/** Time of the change, in milliseconds since the epoch. */
	readonly at: number;
	readonly by: StateCause;
	readonly text: string;
}
