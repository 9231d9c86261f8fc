import type { OutboxRow, Receipt, Surface } from "../platform/surface.ts";

/** A platform with scripted answers. Without a script, it carries out each request. */
export class ScriptedSurface implements Surface {
	readonly posts: { remote: string; nonce: string; payload: unknown; conversation: string; at: number }[] =
		[];
	/** Returns the time of a new post, in milliseconds since the epoch. */
	now: () => number = () => 0;
	/** Requests in order: `send JSON`, `edit JSON`, `find ID`, `typing CONVERSATION`, `suspended CONVERSATION`. */
	readonly calls: string[] = [];
	/**
	 * Functions that answer the next requests to send, edit or find a post, one each. A post is sent or edited if its
	 * function returns undefined.
	 */
	readonly script: ((row: OutboxRow) => Promise<Receipt | undefined> | Receipt | undefined)[] = [];

	async send(row: OutboxRow): Promise<Receipt> {
		this.calls.push(`${row.target === undefined ? "send" : "edit"} ${JSON.stringify(row.payload)}`);
		return (await this.script.shift()?.(row)) ?? this.carryOut(row);
	}

	async find(row: OutboxRow): Promise<Receipt | undefined> {
		this.calls.push(`find ${row.id}`);
		const scripted = this.script.shift();
		if (scripted) return scripted(row);
		return this.posts.find(({ nonce }) => nonce === row.nonce);
	}

	/** Result of `dedupeWindowMs`. With a value above 0, a repeated nonce creates no second post. */
	dedupeMs = 0;

	dedupeWindowMs(): number {
		return this.dedupeMs;
	}

	async typing(conversation: string): Promise<void> {
		this.calls.push(`typing ${conversation}`);
	}

	async suspended(conversation: string): Promise<void> {
		this.calls.push(`suspended ${conversation}`);
	}

	scopes({ conversation }: { readonly conversation: string }): string[] {
		return ["all", conversation];
	}

	postedAt(remote: string): number {
		const post = this.posts.find((one) => one.remote === remote);
		if (post) return post.at;
		throw new Error(`there is no post ${remote}`);
	}

	carryOut({ target, nonce, payload, conversation }: OutboxRow): Receipt {
		const first = this.dedupeMs > 0 && this.posts.find((post) => post.nonce === nonce);
		if (first && target === undefined) return { remote: first.remote };
		const isDeletion =
			typeof payload === "object" && payload !== null && "type" in payload && payload.type === "delete";
		const edited = this.posts.find(({ remote }) => remote === target);
		if (isDeletion && edited) this.posts.splice(this.posts.indexOf(edited), 1);
		if (isDeletion) return { remote: target ?? "" };
		if (edited) edited.payload = payload;
		else
			this.posts.push({
				remote: `post ${this.posts.length + 1}`,
				nonce,
				payload,
				conversation,
				at: this.now(),
			});
		return { remote: target ?? `post ${this.posts.length}` };
	}
}
