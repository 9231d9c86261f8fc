/** Who we are on Discord. */
export interface OwnAccount {
	/** The id of our user. */
	readonly user: string;
	readonly application: string;
}
